"""Scores a resolver of dates ("reader") on a table of sentences: the share of dates that it resolves, and the wrong
dates that it states as certain."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

TABLES = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """A date expression and the sentence that contains it. `first` and `last` are the first and the last day that the
    expression means, or None if the expression means no day. `accepted` are other first and last days that are also
    right. `knowable` says whether a careful reader would be certain."""

    text: str
    said_at: datetime
    zone: ZoneInfo
    region: str | None
    language: str
    expression: str
    first: date | None
    last: date | None
    moment: datetime | None
    precision: str
    knowable: bool
    accepted: Sequence[tuple[date, date]] = ()


class Answer(NamedTuple):
    """A reader's interpretation of the characters from `start` to `end`."""

    start: int
    end: int
    first: date
    last: date
    moment: datetime | None
    certain: bool


class Verdict(NamedTuple):
    """The judgment of an answer. `right` means the correct days and time, whether or not the answer is certain.

    `wrong` means another day, stated as certain. `overclaimed` means a day that is stated as certain although a careful
    reader could not know it.
    """

    row: Row
    answer: Answer | None
    right: bool
    wrong: bool
    overclaimed: bool


Reader = Callable[[Row], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Score:
    verdicts: Sequence[Verdict]
    milliseconds: float

    @property
    def dated(self) -> list[Verdict]:
        """The rows whose expression means days that a careful reader knows."""
        return [v for v in self.verdicts if v.row.first is not None and v.row.knowable]

    @property
    def resolved(self) -> float:
        """The share of the rows in `dated` whose answer is right and stated as certain."""
        return _share([v.right and v.answer is not None and v.answer.certain for v in self.dated])

    @property
    def preferred(self) -> float:
        """The share of all dated rows whose answer is right, whether or not it is certain."""
        return _share([v.right for v in self.verdicts if v.row.first is not None])

    @property
    def wrong(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.wrong]

    @property
    def overclaimed(self) -> list[Verdict]:
        return [v for v in self.verdicts if v.overclaimed]

    def __str__(self) -> str:
        return (
            f"resolved {self.resolved:.1%} of {len(self.dated)}, preferred reading right {self.preferred:.1%}, "
            f"wrong as certain {len(self.wrong)}, unknowable as certain {len(self.overclaimed)} "
            f"of {len(self.verdicts)}, {self.milliseconds:.2f} ms a sentence"
        )


def rows(name: str) -> list[Row]:
    """The table with this name in the folder of this file."""
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    return [_row(json.loads(line)) for line in lines if line.strip()]


def score(table: Sequence[Row], read: Reader) -> Score:
    begun = time.perf_counter()
    answers = [read(row) for row in table]
    spent = time.perf_counter() - begun
    verdicts = [judge(row, found) for row, found in zip(table, answers, strict=True)]
    return Score(verdicts, 1_000 * spent / max(1, len(table)))


def judge(row: Row, answers: Sequence[Answer]) -> Verdict:
    """Judge one of the answers. This is the answer with the longest overlap with the row's expression."""
    start = row.text.lower().find(row.expression.lower())
    end = start + len(row.expression)
    over = [(min(end, a.end) - max(start, a.start), a) for a in answers]
    answer = max(((n, a) for n, a in over if n > 0), key=lambda pair: pair[0], default=(0, None))[1]
    certain = answer is not None and answer.certain
    if answer is None or row.first is None or row.last is None:
        # If the expression is not a date, every stated day is wrong.
        named = row.precision in {"none", "recurring"}
        return Verdict(row, answer, False, certain and named, certain and not named)
    spans = [(row.first, row.last), *row.accepted]
    right = (answer.first, answer.last) in spans and row.moment in (None, answer.moment)
    outside = all(answer.last < first or answer.first > last for first, last in spans)
    return Verdict(row, answer, right, certain and row.knowable and outside, certain and not row.knowable)


def _row(data: dict[str, Any]) -> Row:
    start, end = data["start"], data["end"]
    moment = datetime.fromisoformat(start) if start and len(start) > 10 else None
    zone = ZoneInfo(data["zone"])
    return Row(
        text=data["text"],
        said_at=datetime.fromisoformat(data["said_at"]),
        zone=zone,
        region=data["region"],
        language=data["language"],
        expression=data["expression"],
        first=_day(start, zone),
        last=_day(end or start, zone),
        moment=moment if data["precision"] == "instant" else None,
        precision=data["precision"],
        knowable=data["certain_expected"],
        accepted=[(date.fromisoformat(first), date.fromisoformat(last)) for first, last in data.get("accepted", ())],
    )


def _day(text: str | None, zone: ZoneInfo) -> date | None:
    if not text:
        return None
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).astimezone(zone).date()


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / max(1, len(hits))
