"""Selects sentences to represent a run of messages: the sentences that the scorer ranks highest or, without a scorer,
the first sentence of each message."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from tellonce.work import NotableSentence, WorkMessage
from tellonce_summarizer.keep.lines import clip
from tellonce_text.dates.annotation import annotated
from tellonce_text.dates.readings import Said as SaidAt
from tellonce_text.sentences import split_sentences

LONGEST = 300


@dataclass(frozen=True, slots=True)
class Said:
    """A verbatim sentence and its message."""

    message: WorkMessage
    text: str


def telling(
    messages: Sequence[WorkMessage], notable: Iterable[NotableSentence], most: int, *, shown_only: bool = False
) -> list[Said]:
    """At most `most` sentences in order. Without a scorer, they are the first sentences of the newest messages."""
    found = [sentence for sentence in notable if sentence.shown or not shown_only]
    by_id = {message.id: message for message in messages}
    best = sorted((s for s in found if s.message_id in by_id), key=lambda s: (not s.shown, -s.score))[:most]
    if best or list(notable):
        said = [Said(by_id[sentence.message_id], whole(sentence)) for sentence in best]
        return sorted(said, key=lambda s: s.message.id)
    return _first_sentences(messages, most)


def whole(sentence: NotableSentence) -> str:
    """The sentence, preceded by the previous one if it cannot be understood without it."""
    return " ".join(" ".join(filter(None, (sentence.before, sentence.text))).split())


def dated(said: Said, zone: ZoneInfo) -> str:
    """`Ann: “I moved to Lisbon” (2026-11-20)`: the speaker's own words and their day, with relative times resolved."""
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
