"""Removes from a text the sentences that state something forgotten. Pure."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from tellonce_server.domain.erasure.forget_query import Degree, ForgetQuery, Mark, Source, touched
from tellonce_text.sentences import whole_sentences

GONE = "[forgotten]"
"""The text of a message that was erased completely. The message itself is still stored and counted."""

_HOLLOW: Final = re.compile(
    r"\s*+(?:[-•*·›>#|]|\d{1,3}[.)])?+[\s\"“”„»«'’)\]*_]*+(?:\(\d{4}-\d\d-\d\d[^()\n]*\))?+\s*+"
)
"""Matches what is left of a line without its sentences: a list mark, closing quotation marks, or the day."""

Marks = Callable[[str], list[Mark]]
"""Marks the forgotten statements in a text."""


def marks_of(query: ForgetQuery, degrees: frozenset[Degree], source: Source) -> Marks:
    return lambda text: [mark for mark in query.marks(text, source) if mark.degree in degrees]


def redact(text: str, marks: Marks) -> tuple[str, list[str]]:
    """The text without the sentences that have a mark, and the removed sentences.

    A removal joins the texts around it, which can make a new match. The search is therefore repeated until nothing
    matches.
    """
    gone: list[str] = []
    while text and text != GONE and (found := marks(text)):
        kept: list[str] = []
        for start, sentence in whole_sentences(text):
            (gone if touched(found, start, start + len(sentence)) else kept).append(sentence)
        text = "".join(kept).strip()
        if not any(c.isalnum() for c in text):
            text = ""
    return text, [part for part in gone if part.strip()]


def redact_derived(text: str, marks: Marks) -> str:
    """A derived text without the sentences that have a mark, and without the lines that contained only such
    sentences."""
    left, gone = redact(text, marks)
    if not gone:
        return left
    former = frozenset(text.split("\n"))
    return "\n".join(line for line in left.split("\n") if line in former or not _HOLLOW.fullmatch(line))


def redact_all(value: Any, marks: Marks) -> Any:
    """Redact every string of a JSON value. Items that become empty are removed from lists."""
    if isinstance(value, str):
        return redact_derived(value, marks)
    if isinstance(value, list):
        return [left for item in value if (left := redact_all(item, marks)) or not item]
    if isinstance(value, dict):
        return {key: redact_all(item, marks) for key, item in value.items()}
    return value


def strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
