"""When a goal is due or an event takes place, by its own words; pure."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from chatmem_server.dates.time_expressions import spans_in_plan

_DAY = timedelta(days=1, hours=1)
_INSTANT = timedelta(seconds=1)
_OF_TIME = re.compile(
    r"\d|[^\x00-\x7f]|day|week|month|quarter|year|decade|spring|summer|autumn|\bfall\b|winter|tomorrow|tonight"
    r"|christmas|easter|thanksgiving|halloween",
    re.IGNORECASE,
)


def speaks_of_time(text: str) -> bool:
    """Whether the words may name a day in some way: in English by a word or a number, in other scripts nobody knows."""
    return _OF_TIME.search(text) is not None


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
