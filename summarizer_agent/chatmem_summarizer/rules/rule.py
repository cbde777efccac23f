"""What a rule is: it looks at one clause and may find one statement in it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from chatmem_summarizer import dates
from chatmem_summarizer.clauses import Clause
from chatmem_summarizer.restate import PAST_FORMS, third_person, without_my

Kind = Literal["facts", "preferences", "goals", "dates"]


@dataclass(frozen=True, slots=True)
class Scene:
    """When and where the words were written."""

    written: datetime

    @property
    def zone(self) -> ZoneInfo:
        """The writer's time zone."""
        zone = self.written.tzinfo
        return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Draft:
    """One statement about the writer, before its sources are attached."""

    kind: Kind
    text: str
    due: datetime | None = None
    importance: float | None = None
    pin: bool = False


Rule = Callable[[Clause, Scene], Draft | None]
Check = Callable[[re.Match[str]], bool]


def _always(match: re.Match[str]) -> bool:
    return True


def states(
    kind: Kind, pattern: str, *, when: Check = _always, importance: float | None = None, pin: bool = False
) -> Rule:
    """A rule for clauses whose subject is `I` or `we`: the clause itself, in the third person."""
    return _rule(kind, pattern, third_person, when, importance, pin)


def owns(
    kind: Kind, pattern: str, *, when: Check = _always, importance: float | None = None, pin: bool = False
) -> Rule:
    """A rule for clauses whose subject begins with `my`: the clause itself, without the `my`."""
    return _rule(kind, pattern, without_my, when, importance, pin)


def _rule(
    kind: Kind, pattern: str, restated: Callable[[str], str], when: Check, importance: float | None, pin: bool
) -> Rule:
    compiled = re.compile(pattern, re.IGNORECASE)

    def rule(clause: Clause, scene: Scene) -> Draft | None:
        match = compiled.match(clause.text)
        if match is None or not when(match):
            return None
        past = in_the_past(clause.text)
        text = dated(restated(clause.text), clause.text, scene, past=past, habit=not past)
        return Draft(kind, text, importance=importance, pin=pin)

    return rule


_ENDED = re.compile(
    r"\b(?:born|ago|last|since|used to|quit|(?!need|seed|feed|indeed|speed|breed)\w{2,}ed)\b", re.IGNORECASE
)
_FUTURE = re.compile(
    r"\b(?:will|'ll|going to|need|want|plan|hope|aim|by|due|next|tomorrow|must|upcoming|scheduled|planned)\b",
    re.IGNORECASE,
)


def in_the_past(text: str) -> bool:
    """Whether a clause tells of something done."""
    past = _ENDED.search(text) or not PAST_FORMS.isdisjoint(text.lower().split())
    return bool(past) and not _FUTURE.search(text)


def dated(restated: str, original: str, scene: Scene, *, past: bool = False, habit: bool = False) -> str:
    """The statement with each date that leaves something open followed by what it resolves to.

    `habit`: a weekday alone is every such day, as in `I work from home Tuesdays and Thursday`.
    """
    for when in reversed(dates.find(original, scene.written, past=past)):
        if not when.said_year and not (habit and when.bare_weekday):
            restated = restated.replace(when.text, _spelled_out(when), 1)
    return restated


_CALENDAR = re.compile(r"\bthe (?:week|month|quarter|year)\b", re.IGNORECASE)


def _spelled_out(when: dates.When) -> str:
    if _CALENDAR.search(when.text):
        return when.text  # `the end of the year`: the due date tells which
    month, _, year = when.label.partition(" ")
    if when.grain == "month" and when.text.lower().endswith(month.lower()):
        return f"{when.text} {year}"
    return f"{when.text} ({when.label})"


def first_date(text: str, scene: Scene, *, past: bool = False) -> dates.When | None:
    """The first date a text names."""
    return next(iter(dates.find(text, scene.written, past=past)), None)
