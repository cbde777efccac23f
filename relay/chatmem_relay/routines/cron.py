"""When a cron expression is due next; pure. Five fields, in the user's time zone, Sunday being 0 or 7."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger  # type: ignore[import-untyped]  # it ships no types

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NUMBERED = re.compile(r"(\d)(?:-(\d))?(?:/(\d+))?")


def next_due(expression: str, after: datetime, zone: ZoneInfo) -> datetime | None:
    """The first moment later than `after`; None when there is none. Raises ValueError for what is no cron expression."""
    due: datetime | None = _trigger(expression, zone).get_next_fire_time(None, after + timedelta(seconds=1))
    return due


def check(expression: str) -> str:
    """The expression. Raises ValueError."""
    _trigger(expression, ZoneInfo("UTC"))
    return expression


def _trigger(expression: str, zone: ZoneInfo) -> CronTrigger:
    fields = expression.split()
    if len(fields) != 5:
        raise ValueError(f"{expression!r} has {len(fields)} fields; cron has five: minute hour day month weekday")
    fields[4] = ",".join(_named(part) for part in fields[4].split(","))
    return CronTrigger.from_crontab(" ".join(fields), timezone=zone)


def _named(part: str) -> str:
    """Weekday numbers as names: the scheduler's own numbers begin on Monday."""
    found = _NUMBERED.fullmatch(part)
    if found is None:
        return part
    first, last = int(found[1]), int(found[2] or found[1])
    if first > 7 or last > 7 or first > last:
        raise ValueError(f"{part!r} is no weekday; 0 to 7, Sunday being 0 or 7")
    days = range(first, last + 1, int(found[3] or 1))
    return ",".join(_DAYS[day % 7] for day in days)
