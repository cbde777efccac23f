"""Formats times for a reader, in the user's time zone and always in English. The module reads no clock: every time is
an argument and must be timezone-aware."""

from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

STAMP: Final = "%Y-%m-%d %H:%M"
"""The form of a day and time in the text of a reminder."""

_HOUR: Final = timedelta(hours=1)
_AHEAD: Final = timedelta(minutes=5)
"""A sender's clock can be ahead of our clock by at most this time."""


def not_ahead(at: datetime, now: datetime) -> datetime:
    """The time at which something was said. If the given time is in the future, the sender's clock must be wrong; then
    the result is `now`. A statement with a future time would be newer than every later correction."""
    return at if at <= now + _AHEAD else now.astimezone(at.tzinfo)


def local(at: datetime, zone: ZoneInfo) -> datetime:
    """The time in the zone. Raises ValueError if `at` has no offset, because the offset cannot be guessed."""
    return (at if at.tzinfo is not None else _aware(at)).astimezone(zone)


def local_day(at: datetime, zone: ZoneInfo) -> date:
    """The calendar day of the time in the zone."""
    return local(at, zone).date()


def is_day(local: datetime) -> bool:
    """Whether a stored local time stands for a whole day: it is midnight, or in the last minute of the day."""
    return (local.hour, local.minute) == (23, 59) or (local.hour, local.minute, local.second) == (0, 0, 0)


def same_day(at: datetime, former: ZoneInfo, zone: ZoneInfo) -> datetime:
    """Convert a time that was stored in the zone `former` to another zone. A whole day stays the same day; any other
    time stays the same moment."""
    there = local(at, former)
    return there.replace(tzinfo=zone).astimezone(UTC).astimezone(zone) if is_day(there) else at


def day_header(day: date) -> str:
    """Format a day as `─── Monday, 16 February 2026 ───`."""
    return f"─── {WEEKDAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year} ───"


def clock_time(at: datetime, zone: ZoneInfo) -> str:
    """Format a time as `09:15 AM` in the zone."""
    return time_of_day(local(at, zone))


def time_of_day(moment: datetime) -> str:
    """Format a time that is already in the reader's zone, as `09:15 AM`."""
    return f"{(moment.hour - 1) % 12 + 1:02d}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def offset_minutes(at: datetime) -> int:
    """The UTC offset of a time in minutes; 0 for a time without an offset."""
    return (at.utcoffset() or timedelta()) // timedelta(minutes=1)


def age(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Format an age: `just now` for less than an hour or for a future time, `Nh ago` on the same day, then `yesterday`
    and `N days ago`. The days are calendar days of the zone."""
    # The difference is computed in UTC, because Python ignores the UTC offsets if both times have the same zone.
    elapsed = _aware(now).astimezone(UTC) - _aware(at).astimezone(UTC)
    days = (local_day(now, zone) - local_day(at, zone)).days
    if elapsed < _HOUR:
        return "just now"
    if days == 0:
        return f"{elapsed // _HOUR}h ago"
    return "yesterday" if days == 1 else f"{days} days ago"


def moment_line(now: datetime, zone: ZoneInfo) -> str:
    """Format a time as `Friday, 20 November 2026, 02:15 PM (Asia/Singapore)`."""
    at = local(now, zone)
    return f"{WEEKDAYS[at.weekday()]}, {at.day} {MONTHS[at.month - 1]} {at.year}, {time_of_day(at)} ({zone.key})"


def period(start: datetime, end: datetime, zone: ZoneInfo, today: date) -> str:
    """Format the local days of two times as `Feb 15`, `Feb 15–16` or `Feb 27 – Mar 2`. The year is added to a day that
    is not in the year of `today`."""
    first, last = sorted((local_day(start, zone), local_day(end, zone)))
    if first == last:
        return dated(first, today)
    if (first.year, first.month) != (last.year, last.month):
        return f"{dated(first, today)} – {dated(last, today)}"
    return dated(last, today).replace(month_day(last), f"{month_day(first)}–{last.day}")


def month_day(day: date) -> str:
    """Format a day as `Feb 15`."""
    return f"{MONTHS[day.month - 1][:3]} {day.day}"


def dated(day: date, today: date) -> str:
    """Format a day as `Feb 15` if the day is in the year of `today`, otherwise as `Feb 15, 2024`."""
    return month_day(day) if day.year == today.year else f"{month_day(day)}, {day.year}"


def _aware(at: datetime) -> datetime:
    if at.utcoffset() is None:
        raise ValueError(f"{at.isoformat()} has no UTC offset; give an aware datetime")
    return at
