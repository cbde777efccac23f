"""Times in the contract's form, for tests that name days."""

from datetime import date, datetime, time, tzinfo

from tellonce.contract_types import Precision, When


def during(zone: tzinfo, start: date, end: date | None = None, precision: Precision = "day") -> When:
    """The time from `start` to `end`. A day is represented by its first minute."""
    return When(start=_at(start, zone), end=_at(end, zone) if end is not None else None, precision=precision)


def _at(day: date, zone: tzinfo) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time(), zone)
