"""Marks words of a message that are no longer true, as in `The dentist is on Tuesday (since changed: #8).` Pure.

The words stay as they were said; the number is that of the memory with the current statement.
"""

import re
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tellonce_text.caches import of_texts
from tellonce_text.sentences import split_sentences
from tellonce_text.tokens import ELLIPSIS

LONGEST_STATED: Final = 200
"""Maximum characters of a current statement that a mark contains."""

LEAST_CLIPPED: Final = 3
"""Minimum former words at the end of a clipped text that are marked."""

_WORD: Final = re.compile(r"\w+")
_DATE: Final = r"(?:\s*\((?=[^()]*\d{4})[^()]*\))?"
"""Matches a date that was added after relative words. The look-ahead keeps the search linear."""
_BETWEEN: Final = rf"{_DATE}\W+"
_MARK: Final = re.compile(r"\(since changed: #(\d+)(?: “[^“”]*”)?\)")

_SPLIT_OFF: Final = "\ue000"
"""A private-use character that replaces a mark while the text is split into sentences."""


class MessageRange(NamedTuple):
    """The messages of a chat from the number `first` to `last`. For a single message, both are the number of the
    message."""

    chat_id: int
    first: int
    last: int


class Change(NamedTuple):
    """A statement that was learned from a message and later reworded or replaced. `verbatim` means that the former
    words are the message's own words. `contents` are the former contents of the memory."""

    memory_id: int
    content: str
    former: tuple[str, ...]
    verbatim: bool
    contents: tuple[str, ...] = ()


def marked(text: str, changes: Sequence[Change], known: Container[int] = ()) -> str:
    """Return the text with a mark after each group of words that are no longer true. If these words are not known, the
    mark is at the end of the text. If they are known but not in the text (an excerpt), the text stays unchanged. A mark
    states the memory's content, unless the reader knows the memory's number (`known`) from another line."""
    marks = [(at, _note(change, known)) for change in changes if (at := _end_of(text, change)) is not None]
    for at, note in sorted(dict.fromkeys(marks), reverse=True):
        text = f"{text[:at]} ({note}){text[at:]}"
    return text


def changes_at(place: MessageRange | None, changes: Mapping[tuple[int, int], Sequence[Change]]) -> list[Change]:
    """Return the changes of the messages at `place`, for marking a text that shows or summarizes these messages. A
    summary of several messages is marked only after former words that the summary repeats, which are words of a message
    or of a memory."""
    if place is None or not changes:
        return []
    numbers = range(place.first, place.last + 1)
    found = [change for number in numbers for change in changes.get((place.chat_id, number), ())]
    if place.first == place.last:
        return found
    return [x._replace(former=(*x.former, *x.contents), verbatim=True) for x in found]


def without_changed(text: str) -> tuple[str, Sequence[int]]:
    """Return the text without its marked sentences, and the ids of the memories that replace these sentences."""
    numbers = [int(found[1]) for found in _MARK.finditer(text)]
    # The content of a mark may consist of several sentences, so it is removed before the text is split.
    kept = [part for part in split_sentences(_MARK.sub(_SPLIT_OFF, text)) if _SPLIT_OFF not in part]
    return " ".join(kept), numbers


def _note(change: Change, known: Container[int]) -> str:
    if change.memory_id in known:
        return f"since changed: #{change.memory_id}"
    stated = " ".join(change.content.split()).translate(_PLAIN)[:LONGEST_STATED]
    return f"since changed: #{change.memory_id} “{stated}”"


_PLAIN: Final = str.maketrans("“”", '""')


def _end_of(text: str, change: Change) -> int | None:
    """Return the position in the text after the first of the former words that the text contains, before the
    punctuation that follows; None if the text contains none of them. One of the sentences of the former words is
    enough, because an excerpt may lack the others; of a clipped text, the beginning of these words is enough."""
    parts = [part for words in change.former for part in (words, *split_sentences(words))]
    found = (pattern.search(text) for part in parts if (pattern := _words_of(part)) is not None)
    at = next((match.end() for match in found if match), None)
    ends = not change.verbatim or (text.endswith(ELLIPSIS) and any(_is_clipped(text, part) for part in parts))
    return len(text.rstrip()) if at is None and ends else at


def _is_clipped(text: str, words: str) -> bool:
    """Whether the text ends in the middle of the words `words`, after at least LEAST_CLIPPED of them."""
    shown, former = (_WORD.findall(x.casefold()) for x in (text[-2 * len(words) :], words))
    return any(shown[-count:] == former[:count] for count in range(LEAST_CLIPPED, len(former)))


@of_texts
@lru_cache(maxsize=256)
def _words_of(text: str) -> re.Pattern[str] | None:
    """Return a pattern that matches the text's words in order, ignoring case, punctuation, and dates that were added
    between the words."""
    words = [re.escape(word) for word in _WORD.findall(text)]
    return re.compile(rf"\b{_BETWEEN.join(words)}\b{_DATE}", re.IGNORECASE) if words else None
