"""`python -m benchmarks.dates [--failures]`: scores the resolver on every table beside this file."""

import sys
from collections.abc import Sequence

from benchmarks.dates.scores import TABLES, Answer, Row, Score, Verdict, rows, score
from tellonce_text.dates.readings import Said
from tellonce_text.dates.resolver import expressions


def read(row: Row) -> Sequence[Answer]:
    """The resolver's answers. The resolver does not get the language of the sentence."""
    found = expressions(row.text, Said(row.said_at, row.zone, row.region))
    return [Answer(e.start, e.end, *e.best.days, e.best.start if e.timed else None, e.certain) for e in found if e.best]


def main(arguments: Sequence[str]) -> None:
    for table in sorted(TABLES.glob("*.jsonl")):
        found = score(rows(table.name), read)
        print(f"{table.name}: {found}")
        if "--failures" in arguments:
            print(*_failures(found), sep="\n")


def _failures(found: Score) -> list[str]:
    bad = [v for v in found.verdicts if v.wrong or v.overclaimed or _missed(v)]
    return [_line(verdict) for verdict in bad]


def _missed(verdict: Verdict) -> bool:
    certain = verdict.answer is not None and verdict.answer.certain
    return verdict.row.first is not None and verdict.row.knowable and not (verdict.right and certain)


def _line(verdict: Verdict) -> str:
    row, answer = verdict.row, verdict.answer
    kind = "WRONG" if verdict.wrong else "CLAIM" if verdict.overclaimed else "miss" if not verdict.right else "unsure"
    given = (
        f"{answer.first}..{answer.last} {answer.moment or ''}{'!' if answer.certain else '?'}" if answer else "nothing"
    )
    return (
        f"{kind:6} {row.said_at:%a %Y-%m-%d %H:%M} {row.region} [{row.expression}] in {row.text!r}: "
        f"{row.precision} {row.first}..{row.last} {row.moment or ''}{'!' if row.knowable else '?'} got {given}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
