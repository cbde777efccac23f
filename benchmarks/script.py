"""The common parts of generated dialogues: facts, the script, dates, and questions with exactly one answer."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from benchmarks.blocks import Block, fill, sentences, slots_of
from benchmarks.dialogue import Turn

MONTHS = ("January February March April May June July August September October November December").split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass
class StatedFact:
    """A fact that a speaker told: the speaker, the fact's values and turns, and the time when it happened. `said` is
    the passage of a long reply that tells the fact."""

    block: Block
    who: str
    values: dict[str, str]
    at: datetime
    happened: datetime
    names: frozenset[str] = frozenset()
    turns: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    said: str = ""


@dataclass
class Script:
    """A dialogue under construction."""

    rng: random.Random
    turns: list[Turn] = field(default_factory=list)
    stated: list[StatedFact] = field(default_factory=list)

    def say(self, role: Literal["user", "assistant"], speaker: str | None, text: str, at: datetime) -> int:
        self.turns.append(Turn(len(self.turns) + 1, role, speaker, text, at))
        return len(self.turns)


def session_dates(rng: random.Random, count: int, apart: float) -> list[datetime]:
    """The dates of sessions. `apart` is the mean number of days between two sessions."""
    at = datetime(2025, rng.randint(1, 6), rng.randint(1, 28), 8, tzinfo=UTC)
    dates: list[datetime] = []
    for _ in range(count):
        at += timedelta(days=rng.expovariate(1 / apart) + 0.5)
        dates.append(at.replace(hour=rng.randint(8, 21), minute=rng.randint(0, 59)))
    return dates


def happened(rng: random.Random, at: datetime) -> tuple[str, datetime]:
    """Return a relative time expression, and the day that this expression means."""
    weekday = rng.randrange(7)
    back = (at.weekday() - weekday - 1) % 7 + 1
    days, text = rng.choice(
        [
            (1, "yesterday"),
            (7, "last week"),
            (2, "two days ago"),
            (0, "this morning"),
            (30, "last month"),
            (14, "two weeks ago"),
            (4, "a few days ago"),
            (back, f"last {WEEKDAYS[weekday]}"),
            (at.weekday() + 2, "last weekend"),
            (back, f"on {WEEKDAYS[weekday]}"),
        ]
    )
    return text, at - timedelta(days=days)


def recall(rng: random.Random, stated: StatedFact, file: str, part: str) -> str:
    """A remark that repeats a fact and adds nothing."""
    value = of_them(stated.values[rng.choice([slot for slot in stated.block.slots if slot != "topic"])])
    return fill(rng.choice(sentences(file, part)), {"v": value})


def like(script: Script, stated: StatedFact) -> list[StatedFact]:
    """The facts of the same kind by the same person."""
    return [t for t in script.stated if t.block is stated.block and t.who == stated.who]


def question(rng: random.Random, script: Script, stated: StatedFact, part: str) -> str | None:
    """Return a question that only this fact answers, if the sentence bank has such a question."""
    rivals = [t for t in like(script, stated) if t is not stated]
    choices = [
        q
        for q in stated.block.parts.get(part, ())
        if slots_of(q) - {"who"} <= stated.names
        and all(any(t.values[s] != stated.values[s] for s in slots_of(q) - {"who"}) for t in rivals)
    ]
    return asked(rng.choice(choices), stated) if choices else None


def asked(wording: str, stated: StatedFact) -> str:
    values = {name: of_them(value) for name, value in stated.values.items()}
    return fill(wording, {**values, "who": stated.who})


def of_them(value: str) -> str:
    return f"their {value[3:]}" if value.startswith("my ") else value


def turns_of(facts: Sequence[StatedFact]) -> tuple[int, ...]:
    return tuple(sorted(turn for stated in facts for turn in stated.turns))
