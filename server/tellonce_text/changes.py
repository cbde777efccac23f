"""Marks outdated words in a message: `The dentist is on Tuesday (since changed: #8).` Pure.

The words themselves are not changed. The number is the id of the memory that contains the current statement.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from tellonce_text.sentences import split_sentences
from tellonce_text.tokens import ELLIPSIS

LONGEST_STATED: Final = 200
"""A mark contains at most this many characters of the current statement."""

LEAST_CLIPPED: Final = 3
"""Minimum number of former words at the end of a clipped text. A clipped text that ends with fewer former words is not
marked."""

LEAST_REPEATED: Final = 3
"""A former wording with fewer words is not searched for in other texts."""

LONGEST_READ: Final = 4_000
"""The search for former wordings reads at most this many characters of a passage."""

_WORD: Final = re.compile(r"\w+")
_DATE: Final = re.compile(r"\((?=[^()]*\d{4})[^()]*\)")
"""Matches a date that was added in parentheses after relative words such as "tomorrow". The look-ahead keeps the search
linear."""
_DATE_AFTER: Final = re.compile(rf"\s*{_DATE.pattern}")
_MARK: Final = re.compile(r"\(since changed: #(\d+)(?: “[^“”]*”)?\)")

_SPLIT_OFF: Final = "\ue000"
"""A private-use character that replaces a mark while the text is split into sentences."""


class MessageRange(NamedTuple):
    """The messages of a chat from the number `first` to `last`. For a single message, both numbers are the number of
    the message."""

    chat_id: int
    first: int
    last: int


class Change(NamedTuple):
    """A statement that was learned from a message and later reworded or replaced. `former` contains the words that are
    no longer true. `verbatim` means that these words are the message's own words. `contents` are the former contents of
    the memory."""

    memory_id: int
    content: str
    former: tuple[str, ...]
    verbatim: bool
    contents: tuple[str, ...] = ()


class Passage(NamedTuple):
    """A message or summary that is shown. `at` is the time of the message, or of the last message in the summary."""

    place: MessageRange
    text: str
    at: datetime


class Former(NamedTuple):
    """A wording of a memory that was replaced at `until`. `content` is the memory's content now."""

    memory_id: int
    content: str
    words: str
    until: datetime


def marked(text: str, changes: Sequence[Change], known: Container[int] = ()) -> str:
    """Return the text with a mark after each group of words that are no longer true. If these words are not known, the
    mark is at the end of the text. A text that does not contain the known words stays unchanged, because it is an
    excerpt. A mark states the memory's content, unless the reader knows the memory's number (`known`) from another
    line."""
    words = _Words(text)
    marks = [(at, _note(change, known)) for change in changes if (at := _end_of(text, words, change)) is not None]
    for at, note in sorted(dict.fromkeys(marks), reverse=True):
        text = f"{text[:at]} ({note}){text[at:]}"
    return text


def changes_at(place: MessageRange | None, changes: Mapping[tuple[int, int], Sequence[Change]]) -> list[Change]:
    """Return the changes of the messages at `place`. They are used to mark a text that shows or summarizes these
    messages. In a summary of several messages, a former word gets a mark only if the summary contains this word. Former
    words may be words of a message or of a memory."""
    if place is None or not changes:
        return []
    numbers = range(place.first, place.last + 1)
    found = [change for number in numbers for change in changes.get((place.chat_id, number), ())]
    if place.first == place.last:
        return found
    return [x._replace(former=(*x.former, *x.contents), verbatim=True) for x in found]


def with_repeated(
    changes: Mapping[tuple[int, int], Sequence[Change]], passages: Iterable[Passage], formers: Sequence[Former]
) -> dict[tuple[int, int], list[Change]]:
    """Return the changes, and add a change to each further passage that contains a former wording. Examples:

    - an answer that quotes the user;
    - the user's message, if a client stored the memory without a reference to the message.

    A passage that is later than the change is left out, because it may be a newer statement.
    """
    found = {place: list(of_place) for place, of_place in changes.items()}
    wordings = ((_WORD.findall(former.words), former) for former in formers)
    joined = [(_joined(words), former) for words, former in wordings if len(words) >= LEAST_REPEATED]
    for place, text, at in passages if joined else ():
        said = _joined(_WORD.findall(text[:LONGEST_READ]))
        known = {change.memory_id for change in changes_at(place, changes)}
        for phrase, former in joined:
            if phrase in said and at <= former.until and former.memory_id not in known:
                change = Change(former.memory_id, former.content, (former.words,), verbatim=True)
                found.setdefault((place.chat_id, place.first), []).append(change)
    return found


def without_changed(text: str) -> tuple[str, Sequence[int]]:
    """Return the text without its marked sentences, and the ids of the memories that replace these sentences."""
    numbers = [int(found[1]) for found in _MARK.finditer(text)]
    # A mark may contain several sentences, so each mark is replaced by one character before the text is split.
    kept = [part for part in split_sentences(_MARK.sub(_SPLIT_OFF, text)) if _SPLIT_OFF not in part]
    return " ".join(kept), numbers


def _note(change: Change, known: Container[int]) -> str:
    if change.memory_id in known:
        return f"since changed: #{change.memory_id}"
    stated = " ".join(change.content.split()).translate(_PLAIN)[:LONGEST_STATED]
    return f"since changed: #{change.memory_id} “{stated}”"


_PLAIN: Final = str.maketrans("“”", '""')


class _Words:
    """The words of a text and the index at which each word ends. There are two such lists: with and without the words
    of added dates."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = (list(_WORD.finditer(part)) for part in dict.fromkeys((text, _DATE.sub(_blank, text))))
        self._ways = [(_joined(word[0] for word in words), [word.end() for word in words]) for words in found]

    def end_of(self, words: str) -> int | None:
        """The index just after the first place where the text contains these words in order; None if there is no such
        place. Case and the punctuation between the words do not matter. If a date was added at that place, the index is
        after the date."""
        wanted = _joined(_WORD.findall(words))
        for joined, ends in self._ways:
            at = joined.find(wanted) if wanted.strip() else -1
            if at >= 0:
                end = ends[joined.count(" ", 0, at + len(wanted) - 1) - 1]
                added = _DATE_AFTER.match(self._text, end)
                return added.end() if added else end
        return None


def _joined(words: Iterable[str]) -> str:
    return f" {' '.join(words)} ".casefold()


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _end_of(text: str, words: _Words, change: Change) -> int | None:
    """Return the position at which to insert the mark, or None. The mark follows the first of the former texts that
    appears in the text. A single sentence of a former text is enough, because an excerpt may lack the other sentences.
    If none appears, the result is None. There are two exceptions. If the former words are not verbatim, the mark is at
    the end of the text. If the text is clipped and ends with the beginning of a former text, the mark is also at the
    end."""
    parts = [part for former in change.former for part in (former, *split_sentences(former))]
    at = next((end for part in parts if (end := words.end_of(part)) is not None), None)
    ends = not change.verbatim or (text.endswith(ELLIPSIS) and any(_is_clipped(text, part) for part in parts))
    return len(text.rstrip()) if at is None and ends else at


def _is_clipped(text: str, words: str) -> bool:
    """Whether the text ends in the middle of the words `words`, after at least LEAST_CLIPPED of these words."""
    shown, former = (_WORD.findall(x.casefold()) for x in (text[-2 * len(words) :], words))
    return any(shown[-count:] == former[:count] for count in range(LEAST_CLIPPED, len(former)))
