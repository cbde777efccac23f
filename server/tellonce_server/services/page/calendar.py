"""A month of the user's calendar as two times. Pure."""

from datetime import datetime
from zoneinfo import ZoneInfo


def month_span(month: str, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The start and end of a month such as `2026-03` in the zone."""
    year, number = (int(part) for part in month.split("-"))
    following = (year + 1, 1) if number == 12 else (year, number + 1)
    return datetime(year, number, 1, tzinfo=zone), datetime(*following, 1, tzinfo=zone)
