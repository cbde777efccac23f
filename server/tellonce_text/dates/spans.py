"""The spans of real time that a question or a message means, for searching."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tellonce_text.dates.readings import Direction, Expression, Said
from tellonce_text.dates.regions import region_of
from tellonce_text.dates.resolver import expressions

Span = tuple[datetime, datetime]
"""Half-open: first moment, first moment after."""


def query_spans(text: str, now: datetime, zone: ZoneInfo) -> list[Span]:
    """The spans that a question about the past means: "on March 15" is the last one."""
    return _spans(text, Said(now, zone, region_of(zone)), "past")


def message_spans(text: str, sent_at: datetime, zone: ZoneInfo) -> list[Span]:
    """The spans that a message means. The tense of its verbs decides whether they are past or future."""
    return _spans(text, Said(sent_at, zone, region_of(zone)), None)


def _spans(text: str, said: Said, direction: Direction | None) -> list[Span]:
    """The preferred reading of every expression."""
    spans = (_span(found, said) for found in expressions(text, said, direction))
    return [span for span in spans if span and span[0] < span[1]]


def _span(found: Expression, said: Said) -> Span | None:
    best = found.best
    if best is None:
        return None
    end = max(best.end, said.at.astimezone(said.zone)) if found.since else best.end
    slack = max(best.slack, timedelta())
    return best.start - slack, end + slack
