"""Makes notes from whole conversations, with or without a model. Measures the number of notes, and the share of the
gold observations that the notes cover. Writes a sheet of the notes, to be judged by hand."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.corpora import locomo_entries
from benchmarks.learning.harness import chain_of, drain
from benchmarks.memory import FIRST_USER, open_memory
from tellonce import contract as c
from tests.memory_fixtures import Clock

LABELS = ("good", "partly", "junk", "false")


@dataclass(frozen=True)
class Kept:
    """One line of the sheet; a person fills in `label`."""

    talk: str
    genre: str
    speaker: str
    message: str
    text: str
    said: str
    shown: bool
    label: str = ""


@dataclass(frozen=True)
class Talk:
    """A conversation from the side of one speaker. This speaker is treated as the user, and the other speaker as the
    assistant."""

    name: str
    genre: str
    speaker: str
    turns: tuple[tuple[Any, Mapping[str, Any]], ...]
    gold: frozenset[str]

    @property
    def own(self) -> int:
        """The number of the user's messages."""
        return sum(entry["speaker"] == self.speaker for _, entry in self.turns)


@dataclass(frozen=True)
class Result:
    talk: Talk
    kept: tuple[Kept, ...]

    def touched(self, *, shown_only: bool) -> int:
        """The number of gold observations whose message has a note."""
        messages = {k.message for k in self.kept if k.shown or not shown_only}
        return len(self.talk.gold & messages)


def read(files: Iterable[Path]) -> Iterator[Talk]:
    """Return every conversation twice, once with each speaker as the user. Assistants are never treated as the user."""
    for file in files:
        found = json.loads(file.read_text("utf-8"))
        for sample in found if isinstance(found, list) else [found]:
            talk = sample["conversation"]
            turns = tuple(locomo_entries(talk))
            for speaker in (talk["speaker_a"], talk["speaker_b"]):
                if speaker.casefold() != "assistant":
                    gold = frozenset(_gold(sample.get("observation", {}), speaker))
                    name = str(sample.get("sample_id", file.stem))
                    yield Talk(name, sample.get("genre", "talk"), speaker, turns, gold)


def _gold(observations: Mapping[str, Any], speaker: str) -> Iterator[str]:
    for session in observations.values():
        for entry in session.get(speaker, ()):
            named = entry[1] if isinstance(entry[1], list) else [entry[1]]
            yield from re.findall(r"D\d+:\d+", " ".join(map(str, named)))[:1]


async def keep(talks: Sequence[Talk], model: Path | None) -> list[Result]:
    """Record each conversation in order in a separate memory, and do all work after each session."""
    clock = Clock()
    async with open_memory(model, len(talks), "UTC", clock) as memory:
        for user, talk in enumerate(talks, FIRST_USER):
            async with memory.client(user) as client:
                for at, entry in talk.turns:
                    clock.at = at
                    role = "user" if entry["speaker"] == talk.speaker else "assistant"
                    args = c.RecordMessageArgs(role=role, content=entry["text"], message_id=entry["dia_id"], sent_at=at)
                    await client.record_message(args)
            await drain(memory, chain_of(None))
        async with memory.tables() as tables:
            rows = await tables.fetch(
                "select m.owner_id, m.content, m.shown, s.ext_id, s.content as said from memories m"
                " join messages s on s.owner_id = m.owner_id and s.chat_id = m.source_chat_id and s.id = m.source_ids[1]"
                " where m.status in ('active', 'uncertain') order by m.owner_id, s.id"
            )
    return [
        Result(talk, tuple(_kept(talk, row) for row in rows if row["owner_id"] == user))
        for user, talk in enumerate(talks, FIRST_USER)
    ]


def _kept(talk: Talk, row: Mapping[str, Any]) -> Kept:
    return Kept(talk.name, talk.genre, talk.speaker, row["ext_id"], row["content"], row["said"], row["shown"])


def report(results: Sequence[Result]) -> str:
    """A report with one line in total and one line for each genre. A line gives the number of notes per 100 messages of
    the speaker, and the share of gold observations with a note."""
    lines = [_line("all", results)]
    for genre in sorted({r.talk.genre for r in results}):
        lines.append(_line(genre, [r for r in results if r.talk.genre == genre]))
    return "\n".join(lines)


def _line(name: str, results: Sequence[Result]) -> str:
    own, gold = sum(r.talk.own for r in results), sum(len(r.talk.gold) for r in results)
    shown, kept = sum(k.shown for r in results for k in r.kept), sum(len(r.kept) for r in results)
    touched = [sum(r.touched(shown_only=only) for r in results) for only in (True, False)]
    return (
        f"{name}: {own} messages, {shown} notes shown ({100 * shown / max(own, 1):.1f} for 100 messages), {kept - shown} "
        f"only searched; gold touched by shown {touched[0] / max(gold, 1):.3f}, by all {touched[1] / max(gold, 1):.3f} of {gold}"
    )


def write_sheet(results: Sequence[Result], file: Path) -> None:
    """Write one kept sentence per line, to be labeled `good`, `partly`, `junk` or `false` by a person who reads the
    message."""
    with file.open("w", encoding="utf-8", newline="") as out:
        sheet = csv.writer(out, dialect="excel-tab")
        sheet.writerow([field.name for field in fields(Kept)])
        sheet.writerows([getattr(k, field.name) for field in fields(Kept)] for r in results for k in r.kept)


def judged(file: Path) -> str:
    """Return the share of each label in a completed sheet. The first lines are for shown notes, in total and by genre.
    The last line is for notes that only a search finds."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, dialect="excel-tab"))
    shown = [row for row in rows if row["shown"] == "True"]
    groups = {"shown": shown} | {
        f"shown, {genre}": [row for row in shown if row["genre"] == genre]
        for genre in sorted({r["genre"] for r in rows})
    }
    groups["only searched"] = [row for row in rows if row["shown"] != "True"]
    return "\n".join(_shares(name, group) for name, group in groups.items() if group)


def _shares(name: str, rows: Sequence[Mapping[str, str]]) -> str:
    counts = Counter(row["label"] for row in rows)
    named = ", ".join(f"{label} {counts[label] / len(rows):.3f}" for label in LABELS)
    return f"{name}: {len(rows)}; {named}"
