"""What the memories ask of the date resolver: whether words can mean a day, and which day a relative word means."""

from datetime import date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from chatmem_server.dates.date_mentions import find
from chatmem_server.dates.time_expressions import direction_of, iso_date, spans_in_plan, spans_in_query

_RELATIVE = frozenset({"relative", "distance"})


def admits(text: str, said_at: datetime, zone: tzinfo, moment: date | datetime, /) -> bool:
    """Whether words said at that moment in that zone can name this day or moment, looking forward or back."""
    assert isinstance(zone, ZoneInfo)  # the user's zone is an IANA one
    start = moment if isinstance(moment, datetime) else datetime.combine(moment, datetime.min.time(), zone)
    end = start if isinstance(moment, datetime) else start + timedelta(days=1)
    spans = (*spans_in_plan(text, said_at, zone), *spans_in_query(text, said_at, zone))
    return any(span.start <= end and start <= span.end for span in spans)


def dated(text: str, now: datetime) -> str:
    """The text with the day beside each word that means another one tomorrow: "next week (2026-11-23)"."""
    direction = direction_of(text)
    for mention in reversed(find(text)):
        day = iso_date(mention, now.date(), direction) if mention.form in _RELATIVE else None
        if day and not text[mention.end :].lstrip().startswith("("):
            text = f"{text[: mention.end]} ({day}){text[mention.end :]}"
    return text
