"""Quotes what the person said in a period, such as "in February 2026"."""

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_relay.catalogue import day, phrase
from tellonce_relay.incoming_message import Incoming, is_command
from tellonce_relay.orders import without_mention
from tellonce_relay.responders.offline import attributed, is_said_to_us
from tellonce_relay.views import short
from tellonce_text.dates.meanings import Span, query_spans
from tellonce_text.dates.readings import Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.dates.zones import region_of
from tellonce_text.folding import fold
from tellonce_text.lexicon import STOP_WORDS
from tellonce_text.sentences import is_question

LINES: Final = 8
"""Maximum number of messages that are quoted."""
_READ: Final = 100
"""Maximum number of messages to read. The search returns the most relevant messages first."""


def past_span(text: str, asked_at: datetime, zone: ZoneInfo) -> Span | None:
    """The past span of time that a request names, or None."""
    spans = (span for span in query_spans(text, asked_at, zone) if span[0] < asked_at)
    return next(spans, None)


async def period_summary(memory: MemoryClient, incoming: Incoming, text: str, span: Span, zone: ZoneInfo) -> str:
    """The text that lists the person's messages in the span, oldest first. If there are none, the text says so. In a
    group, only the group's messages are read. Raises MemoryUnreachable and MemoryRefused."""
    until = span[1] - timedelta(microseconds=1)
    args = c.SearchMemoryArgs(
        query=_topic(text, incoming.sent_at, zone),
        kinds=("message",),
        where="chat" if (incoming.chat_id or 0) < 0 else "all",
        since=span[0],
        until=until,
        limit=_READ,
        **incoming.place,
    )
    page = await memory.search_memory(args)
    said = [
        one for one in page.results if one.role == "user" and not is_command(one.text) and not is_said_to_us(one.text)
    ]
    statements = [one for one in said if not is_question(one.text)] or said
    period = _period(span[0].astimezone(zone), until.astimezone(zone), incoming.sent_at.astimezone(zone))
    if not statements:
        return phrase("summary.none_in", period=period)
    shown = sorted(statements[:LINES], key=lambda one: (one.at, one.id))
    more = [phrase("summary.more_in")] if len(statements) > LINES or page.next_cursor else []
    return "\n".join(
        [phrase("summary.said_in", period=period), *(_line(one, incoming.sent_at) for one in shown), *more]
    )


def _topic(text: str, asked_at: datetime, zone: ZoneInfo) -> str:
    """The request without its time expressions and common words; a full stop if nothing is left."""
    for found in expressions(text, Said(asked_at, zone, region_of(zone)), "past"):
        text = text.replace(found.text, " ")
    return " ".join(word for word in text.split() if fold(word) not in STOP_WORDS) or "."


def _period(first: datetime, last: datetime, now: datetime) -> str:
    return day(first, now) if first.date() == last.date() else f"{day(first, now)} – {day(last, now)}"


def _line(one: c.SearchResult, asked_at: datetime) -> str:
    quote = phrase("offline.quote", text=short(without_mention(one.text)))
    return attributed(one, day(one.at, asked_at), quote)
