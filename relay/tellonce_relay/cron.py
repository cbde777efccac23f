"""Computes when a repetition is due next. Pure. A repetition is a cron expression of five fields, where Sunday is 0 or
7, or an interval such as `R/2026-02-16T08:00/P2D`. As in Quartz, the weekday `1#2` is the second Monday of the month,
and `5L` is the last Friday. A repetition may end: `0 8 * * * until 2026-02-20T23:59`.

Times are in the user's time zone. When the clocks change, a time of day is due exactly once. If the clock change skips
the hour of a due time, the routine is due later by the length of the change. If the hour of a due time occurs twice,
the routine is due the first time. An expression that is due every hour is also due in the repeated hour.
"""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger  # type: ignore[import-untyped]  # it ships no types

from tellonce_text.dates.intervals import UNTIL, Interval

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NUMBERED = re.compile(r"(\d)(?:-(\d))?(?:/(\d+))?")
_OF_MONTH = re.compile(r"([0-7])(?:#([1-5])|L)")
_ORDINALS = ("last", "1st", "2nd", "3rd", "4th", "5th")
_TICK = timedelta(seconds=1)
_LEAST = timedelta(minutes=5)
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_COMPARED = 20
"""The number of times whose distances are compared."""
_LONGEST_CHANGE = timedelta(hours=3)
"""A zone moves its clocks forward by at most this time."""


def next_due(expression: str, after: datetime, zone: ZoneInfo) -> datetime | None:
    """The first due time after `after`; None if there is none. Raises ValueError for an invalid expression."""
    rule, _, last = expression.partition(UNTIL)
    due = _next_of(rule, after, zone)
    return due if not last or due is None or due <= datetime.fromisoformat(last).replace(tzinfo=zone) else None


def is_too_frequent(expression: str) -> bool:
    """Whether two of a repetition's times are less than five minutes apart. Raises ValueError for an invalid
    expression."""
    rule, zone = expression.partition(UNTIL)[0], ZoneInfo("UTC")
    due = _next_of(rule, _ANY_TIME, zone)
    for _ in range(_COMPARED):
        following = _next_of(rule, due, zone) if due is not None else None
        if due is not None and following is not None and following - due < _LEAST:
            return True
        due = following
    return False


def _next_of(expression: str, after: datetime, zone: ZoneInfo) -> datetime | None:
    interval = Interval.read(expression)
    if interval is not None:
        return interval.after(after, zone)
    after = after.astimezone(UTC)
    if expression.split()[1:2] == ["*"]:
        return _next(_trigger(expression, zone), after)
    trigger = _trigger(expression, ZoneInfo("UTC"))
    shown = _next(trigger, _clock(after, zone))
    while shown is not None:
        # If the hour occurs twice, this is the first of the two. If the hour is skipped, the offset from before the
        # change is used.
        due = shown.replace(tzinfo=zone).astimezone(UTC)
        if due > after:
            return due.astimezone(zone)
        shown = _next(trigger, shown)
    return None


def check(expression: str) -> str:
    """Return the expression if it is valid. Raises ValueError."""
    _trigger(expression, ZoneInfo("UTC"))
    return expression


def _next(trigger: CronTrigger, after: datetime) -> datetime | None:
    due: datetime | None = trigger.get_next_fire_time(None, after + _TICK)
    return due


def _clock(at: datetime, zone: ZoneInfo) -> datetime:
    """The local clock time, labeled as UTC. When the zone's clocks move forward, the former offset applies for three
    more hours (`_LONGEST_CHANGE`)."""
    offsets = ((at - back).astimezone(zone).utcoffset() for back in (timedelta(), _LONGEST_CHANGE))
    return at + min(offset for offset in offsets if offset is not None)


def _trigger(expression: str, zone: ZoneInfo) -> CronTrigger:
    fields = expression.split()
    if len(fields) != 5:
        raise ValueError(f"{expression!r} has {len(fields)} fields; cron has five: minute hour day month weekday")
    minute, hour, day, month, weekdays = fields
    parts = weekdays.split(",")
    if any(_OF_MONTH.fullmatch(part) for part in parts):
        if day != "*":
            raise ValueError(f"{expression!r} limits the day of the month twice")
        day, weekdays = ",".join(map(_in_month, parts)), "*"
    else:
        weekdays = ",".join(map(_named, parts))
    return CronTrigger(minute=minute, hour=hour, day=day, month=month, day_of_week=weekdays, timezone=zone)


def _in_month(part: str) -> str:
    """Convert a weekday of the month to the scheduler's words, such as `2nd mon`."""
    found = _OF_MONTH.fullmatch(part)
    if found is None:
        raise ValueError(f"{part!r} is not a weekday of the month, such as 1#2 or 5L")
    return f"{_ORDINALS[int(found[2] or 0)]} {_DAYS[int(found[1]) % 7]}"


def _named(part: str) -> str:
    """Convert weekday numbers to names, because the scheduler's own numbers begin on Monday."""
    found = _NUMBERED.fullmatch(part)
    if found is None:
        return part
    first, last = int(found[1]), int(found[2] or found[1])
    if first > 7 or last > 7 or first > last:
        raise ValueError(f"{part!r} is not a weekday; use 0 to 7, where Sunday is 0 or 7")
    days = range(first, last + 1, int(found[3] or 1))
    return ",".join(_DAYS[day % 7] for day in days)
