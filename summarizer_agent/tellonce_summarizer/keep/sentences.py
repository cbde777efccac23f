"""Selects sentences from a run of messages: the sentences with the best scores or, without a scorer, the first sentence
of each message. Without a model, the user's best sentences become the notes of an exchange."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tellonce.work import ExchangeInput, ExchangeItem, NotableSentence, Quote, When, WorkMessage
from tellonce_summarizer.keep.lines import clip
from tellonce_text.dates.annotation import annotated
from tellonce_text.dates.meanings import coming_day
from tellonce_text.dates.readings import Said as SaidAt
from tellonce_text.sentences import split_sentences

LONGEST = 300


@dataclass(frozen=True, slots=True)
class Said:
    """A verbatim sentence and its message."""

    message: WorkMessage
    text: str


def user_messages(messages: Sequence[WorkMessage]) -> list[WorkMessage]:
    """The messages written by people. Messages of the assistant and of routines support no statement."""
    return [message for message in messages if message.role == "user" and not message.routine]


def best_sentences(
    messages: Sequence[WorkMessage], notable: Iterable[NotableSentence], most: int, *, shown_only: bool = False
) -> list[Said]:
    """At most `most` sentences in order. Without a scorer, these are the first sentences of the newest messages."""
    found = [sentence for sentence in notable if sentence.shown or not shown_only]
    by_id = {message.id: message for message in messages}
    best = sorted((s for s in found if s.message_id in by_id), key=lambda s: (not s.shown, -s.score))[:most]
    if best or list(notable):
        said = [Said(by_id[sentence.message_id], whole(sentence)) for sentence in best]
        return sorted(said, key=lambda s: s.message.id)
    return _first_sentences(messages, most)


def whole(sentence: NotableSentence) -> str:
    """Return the sentence; if the sentence cannot be understood alone, put the previous sentence before it."""
    return " ".join(" ".join(filter(None, (sentence.before, sentence.text))).split())


def dated(said: Said, zone: ZoneInfo) -> str:
    """A sentence as `Ann: “I moved to Lisbon” (2026-11-20)`, verbatim, with relative times resolved."""
    day = said.message.at.astimezone(zone).date()
    words = annotated(clip(said.text, LONGEST), SaidAt(said.message.at, zone))
    return f"{_speaker(said.message)}: “{words}” ({day.isoformat()})"


def _speaker(message: WorkMessage) -> str:
    if message.routine:
        return message.routine
    return message.speaker or ("User" if message.role == "user" else "Assistant")


def _first_sentences(messages: Sequence[WorkMessage], most: int) -> list[Said]:
    spoken = [message for message in messages if message.text.strip()]
    own = [message for message in spoken if message.role == "user" and not message.routine] or spoken
    return [Said(message, _first_sentence(message.text)) for message in own[-most:]]


def _first_sentence(text: str) -> str:
    return " ".join(split_sentences(text)[0].split())


MOST_A_MESSAGE = 2
_LONGEST = 600


def notes(work: ExchangeInput) -> tuple[ExchangeItem, ...]:
    """At most two notes per message, in order. Without a scorer there are no notes; search still finds the messages."""
    said = {message.id: message for message in user_messages(work.messages)}
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
    """The page lists such a note under the coming dates."""
    found = coming_day(text, said_at, zone)
    if found is None:
        return None
    first, last = found.days
    end = found.end - timedelta(seconds=1) if last > first else None
    return When(start=found.start, end=end, precision="instant" if found.precision == "instant" else "day")


def _cut(text: str) -> str:
    """Without a mark at the cut, so that the text stays verbatim."""
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(None, 1)[0]
