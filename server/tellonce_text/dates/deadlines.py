"""When a goal is due or an event takes place, by its own words."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tellonce_text.dates.readings import Expression, Said
from tellonce_text.dates.regions import region_of
from tellonce_text.dates.resolver import expressions


def due_date(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The time meant: the given time, the start of a day, or the last second of a longer span (`Q2 2026`).

    None if the text names no day, or no certain one.
    """
    said = Said(said_at, zone, region_of(zone))
    sure = [found for found in expressions(text, said, "future") if found.best and not found.since]
    sure = [found for found in sure if found.certain or found.approximate]
    if not sure:
        return None
    return _moment(next((found for found in sure if found.timed), sure[0]))


def appointment(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The future day and time that a text certainly names ("Dentist next Tuesday at 3pm"), or None."""
    named = expressions(text, Said(said_at, zone, region_of(zone)))
    sure = (found.best.start for found in named if found.best and found.certain and found.timed)
    return next((start for start in sure if start > said_at), None)


def _moment(found: Expression) -> datetime | None:
    best = found.best
    if best is None:
        return None
    first, last = best.days
    return best.start if first == last else best.end - timedelta(seconds=1)
