"""Parses days and times as a model writes them, in the user's zone. Independent of language."""

import re
from calendar import monthrange
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

_MONTH = re.compile(r"(\d{4})(?:-(\d{1,2}))?")


def first_moment(written: str | None, zone: ZoneInfo) -> datetime | None:
    """The start of a year, month, day or minute; None for other texts."""
    return _moment(written, zone, at_end=False)


def last_moment(written: str | None, zone: ZoneInfo) -> datetime | None:
    """The last minute of a year, month or day, or the minute itself; None for other texts."""
    return _moment(written, zone, at_end=True)


def _moment(written: str | None, zone: ZoneInfo, *, at_end: bool) -> datetime | None:
    text = (written or "").strip()
    try:
        day = _day(text, at_end=at_end)
        if day is not None:
            return datetime.combine(day, time(23, 59) if at_end else time(0), zone)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def _day(text: str, *, at_end: bool) -> date | None:
    """A day, or the first or last one of a month or year; None if a time of day follows."""
    match = _MONTH.fullmatch(text)
    if match is None:
        return date.fromisoformat(text) if len(text) == 10 else None
    year, month = int(match[1]), int(match[2] or (12 if at_end else 1))
    return date(year, month, monthrange(year, month)[1] if at_end else 1)
