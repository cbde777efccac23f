"""Makes notes of an exchange without a model: the user's own sentences that the server's scorer selected."""

import math
from collections.abc import Iterable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from tellonce.work import ExchangeInput, ExchangeItem, NotableSentence, Quote, When, WorkMessage
from tellonce_summarizer.keep.sentences import whole
from tellonce_summarizer.quotes import own
from tellonce_text.dates.meanings import coming_day

MOST_A_MESSAGE = 2
_LONGEST = 600


def notes(work: ExchangeInput) -> tuple[ExchangeItem, ...]:
    """At most two notes per message, in order. Without a scorer there are no notes; search still finds the messages."""
    said = {message.id: message for message in own(work.messages)}
    chosen = [sentence for sentence in _best(work.notable) if sentence.message_id in said]
    zone = ZoneInfo(work.timezone)
    return tuple(_note(sentence, said[sentence.message_id], zone) for sentence in chosen)


def _best(notable: Iterable[NotableSentence]) -> Iterator[NotableSentence]:
    by_message: dict[int, list[NotableSentence]] = {}
    for sentence in notable:
        by_message.setdefault(sentence.message_id, []).append(sentence)
    for number in sorted(by_message):
        best = sorted(by_message[number], key=lambda s: (not s.shown, -s.score))[:MOST_A_MESSAGE]
        yield from (sentence for sentence in by_message[number] if sentence in best)


def _note(sentence: NotableSentence, message: WorkMessage, zone: ZoneInfo) -> ExchangeItem:
    parts = [part for part in (sentence.before, sentence.text) if part]
    return ExchangeItem(
        text=_cut(whole(sentence)),
        kind="fact" if sentence.group == "fact" else "preference",
        about=message.speaker or "user",
        quotes=tuple(Quote(message_id=message.id, text=_cut(part)) for part in parts),
        importance=round(1 / (1 + math.exp(-sentence.score)), 2),
        when=_when(sentence.text, message.at, zone),
        note=True,
        shown=sentence.shown,
    )


def _when(text: str, said_at: datetime, zone: ZoneInfo) -> When | None:
    """The future day that the sentence certainly names, so that the page can list what is coming."""
    found = coming_day(text, said_at, zone)
    return When(start=found.start, precision="instant" if found.precision == "instant" else "day") if found else None


def _cut(text: str) -> str:
    """The text cut to an item's maximum length, without a mark, so that it stays verbatim."""
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(None, 1)[0]
