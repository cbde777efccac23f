"""Marks outdated words in a message: `The dentist is on Tuesday (since changed: #8).` Pure.

The words themselves are not changed. The number is the id of the memory that contains the current statement.
"""

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from tellonce_text.sentences import split_sentences

LONGEST_STATED: Final = 200
"""A mark contains at most this many characters of the current statement."""

_MARK: Final = re.compile(r"\(since changed: #(\d+)(?: “[^“”]*”)?\)")

_SPLIT_OFF: Final = "\ue000"
"""A private-use character that replaces a mark while the text is split into sentences."""


class MessageRange(NamedTuple):
    """The messages of a chat from the number `first` to `last`. Both numbers are the same for a single message."""

    chat_id: int
    first: int
    last: int


class Change(NamedTuple):
    """A statement that was learned from a message and later reworded or replaced. `former` are its former texts: the
    user's words in the message, and the former contents of the memory."""

    memory_id: int
    content: str
    former: tuple[str, ...]


Changes: TypeAlias = Mapping[tuple[int, int], Sequence[Change]]
"""The changes by chat and message number."""


def marked(text: str, place: MessageRange | None, changes: Changes, known: Container[int] = ()) -> str:
    """The text of the messages at `place`, with a mark for each statement that changed later.

    The mark follows the former words. If a message does not contain them literally, the mark is at its end. A summary
    without them gets no mark. A mark quotes the current statement, unless the memory's number is `known`.
    """
    if place is None or not changes:
        return text
    found = [*_at(place, changes)]
    notes = {(at, _note(change, known)) for change in found if (at := _end(text, place, change)) is not None}
    for at, note in sorted(notes, reverse=True):
        text = f"{text[:at]} ({note}){text[at:]}"
    return text


def changed_by(places: Collection[MessageRange | None], changes: Changes) -> list[int]:
    """The ids of the memories that changed a statement of these messages."""
    return [change.memory_id for place in places if place is not None for change in _at(place, changes)]


def without_changed(text: str) -> tuple[str, Sequence[int]]:
    """Return the text without its marked sentences, and the ids of the memories that replace these sentences."""
    numbers = [int(found[1]) for found in _MARK.finditer(text)]
    # A mark may contain several sentences, so each mark is replaced by one character before the text is split.
    kept = [part for part in split_sentences(_MARK.sub(_SPLIT_OFF, text)) if _SPLIT_OFF not in part]
    return " ".join(kept), numbers


def _at(place: MessageRange, changes: Changes) -> Iterator[Change]:
    for number in range(place.first, place.last + 1):
        yield from changes.get((place.chat_id, number), ())


def _end(text: str, place: MessageRange, change: Change) -> int | None:
    """The position of the mark in the text."""
    for words in change.former:
        at = text.find(words) if words else -1
        end = at + len(words)
        if at >= 0 and not text[end : end + 1].isalnum():
            return end
    return len(text.rstrip()) if place.first == place.last else None


def _note(change: Change, known: Container[int]) -> str:
    if change.memory_id in known:
        return f"since changed: #{change.memory_id}"
    stated = " ".join(change.content.split()).translate(_PLAIN)[:LONGEST_STATED]
    return f"since changed: #{change.memory_id} “{stated}”"


_PLAIN: Final = str.maketrans("“”", '""')
