"""When a goal is due or an event takes place, by its own words; pure."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from chatmem_server.dates.time_expressions import spans_in_plan

_DAY = timedelta(days=1, hours=1)
_INSTANT = timedelta(seconds=1)


def due_date(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The moment meant: a day's begin or the named time of day; of a longer span (`Q2 2026`) its last second."""
    spans = spans_in_plan(text, said_at, zone)
    timed = [span for span in spans if span.kind == "time_of_day"]
    days = [span for span in spans if span.kind == "date"]
    if timed and days:
        return timed[0].start
    if not days:
        return None
    span = days[0]
    return span.start if span.end - span.start <= _DAY else span.end - _INSTANT
