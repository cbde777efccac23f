"""When a goal is due or an event takes place, by its own words."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tellonce_text.dates.readings import Expression, Said
from tellonce_text.dates.regions import region_of
from tellonce_text.dates.resolver import expressions


def due_date(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The moment meant: the named time, a day's begin, or the last second of a longer span (`Q2 2026`).

    None where the text names no day, or none for sure.
    """
    said = Said(said_at, zone, region_of(zone))
    sure = [found for found in expressions(text, said, "future") if found.best and not found.since]
    sure = [found for found in sure if found.certain or found.approximate]
    if not sure:
        return None
    return _moment(next((found for found in sure if found.timed), sure[0]))


def appointment(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The coming day and time of day a text names for sure ("Dentist next Tuesday at 3pm"), or None."""
    named = expressions(text, Said(said_at, zone, region_of(zone)))
    sure = (found.best.start for found in named if found.best and found.certain and found.timed)
    return next((start for start in sure if start > said_at), None)


def _moment(found: Expression) -> datetime | None:
    best = found.best
    if best is None:
        return None
    first, last = best.days
    return best.start if first == last else best.end - timedelta(seconds=1)
