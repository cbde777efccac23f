"""Writes the day beside words that mean another one tomorrow: "next week" becomes "next week (2026-11-23)"; pure."""

from datetime import datetime
from zoneinfo import ZoneInfo

from chatmem_text.dates.readings import Expression, Said
from chatmem_text.dates.resolver import expressions


def dated(text: str, said_at: datetime, zone: ZoneInfo) -> str:
    """The text with the day, or the first and last day, beside each relative time the resolver is sure of."""
    for found in reversed(expressions(text, Said(said_at, zone))):
        if _is_relative(found) and not text[found.end :].lstrip().startswith("("):
            text = f"{text[: found.end]} ({_days(found)}){text[found.end :]}"
    return text


def _is_relative(found: Expression) -> bool:
    return found.best is not None and found.certain and not found.absolute and found.precision in _NAMED


_NAMED = frozenset({"instant", "day", "week", "month", "year"})


def _days(found: Expression) -> str:
    assert found.best is not None
    first, last = found.best.days
    return f"{first}" if first == last else f"{first} to {last}"
