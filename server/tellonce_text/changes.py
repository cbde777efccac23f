"""Marks outdated words in a message: `The dentist is on Tuesday (since changed: #8).` Pure.

The words themselves are not changed. The number is the id of the memory that contains the current statement.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from tellonce_text.sentences import split_sentences
from tellonce_text.tokens import ELLIPSIS

LONGEST_STATED: Final = 200
"""A mark contains at most this many characters of the current statement."""

LEAST_CLIPPED: Final = 3
"""A clipped text is marked if its last words are also in a former text. This many words are compared."""

_WORD: Final = re.compile(r"\w+")
_DATE: Final = re.compile(r"\((?=[^()]*\d{4})[^()]*\)")
"""A date that was added in parentheses. The look-ahead keeps the search linear."""
_DATE_AFTER: Final = re.compile(rf"\s*{_DATE.pattern}")
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

    The mark follows the former words. If a whole message does not contain them, the mark is at its end. An excerpt or a
    summary without them gets no mark. A mark quotes the current statement. If `known` contains the memory's number, the
    mark gives only this number.
    """
    found = [*_at(place, changes)] if place is not None and changes else []
    if place is None or not found:
        return text
    words, whole = _Words(text), place.first == place.last and ELLIPSIS not in text
    notes: set[tuple[int, str]] = set()
    for change in found:
        at = words.end_of_any(change.former)
        if at is not None or whole:
            notes.add((len(text.rstrip()) if at is None else at, _note(change, known)))
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


class _Words:
    """The words of a text and the index after each word, with and without the words of added dates."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = (list(_WORD.finditer(said)) for said in dict.fromkeys((text, _DATE.sub(_blank, text))))
        self._ways = [(_joined(word[0] for word in words), [word.end() for word in words]) for words in found]

    def end_of_any(self, former: Collection[str]) -> int | None:
        """The index after the first text of `former` that is found. One sentence of it is enough, because an excerpt
        may lack the other sentences. A clipped text may end within the words."""
        parts = [part for words in former for part in dict.fromkeys((words, *split_sentences(words)))]
        ends = (end for part in parts if (end := self._end_of(part)) is not None)
        clipped = self._text.endswith(ELLIPSIS) and any(map(self._ends_within, parts))
        return next(ends, len(self._text) if clipped else None)

    def _end_of(self, words: str) -> int | None:
        """Case and punctuation do not matter. If a date was added after the words, the index is after the date."""
        wanted = _joined(_WORD.findall(words))
        for joined, ends in self._ways:
            at = joined.find(wanted) if wanted.strip() else -1
            if at >= 0:
                end = ends[joined.count(" ", 0, at + len(wanted) - 1) - 1]
                added = _DATE_AFTER.match(self._text, end)
                return added.end() if added else end
        return None

    def _ends_within(self, words: str) -> bool:
        last = self._ways[-1][0].split()[-LEAST_CLIPPED:]
        return len(last) == LEAST_CLIPPED and _joined(last) in _joined(_WORD.findall(words))


def _joined(words: Iterable[str]) -> str:
    return f" {' '.join(words)} ".casefold()


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _note(change: Change, known: Container[int]) -> str:
    if change.memory_id in known:
        return f"since changed: #{change.memory_id}"
    stated = " ".join(change.content.split()).translate(_PLAIN)[:LONGEST_STATED]
    return f"since changed: #{change.memory_id} “{stated}”"


_PLAIN: Final = str.maketrans("“”", '""')
