"""Takes out of a text the sentences that say something forgotten; pure."""

from collections.abc import Callable, Iterable
from typing import Any

from tellonce_server.domain.erasure.forget_query import Degree, ForgetQuery, Mark, Source, touched
from tellonce_text.sentences import placed_sentences

GONE = "[forgotten]"
"""What stands where a whole text went: the message is still counted, its words are not there."""

Marks = Callable[[str], list[Mark]]
"""The stretches of a text that are to go."""


def marks_of(query: ForgetQuery, degrees: frozenset[Degree], source: Source) -> Marks:
    return lambda text: [mark for mark in query.marks(text, source) if mark.degree in degrees]


def redact(text: str, marks: Marks) -> tuple[str, list[str]]:
    """The text without the sentences that have a mark, and those that went.

    What stood on both sides of a sentence may say it together, so it is looked for until it is not there.
    """
    gone: list[str] = []
    while text and text != GONE and (found := marks(text)):
        kept: list[str] = []
        for start, part in placed_sentences(text):
            (gone if touched(found, start, start + len(part)) else kept).append(part)
        text = "".join(kept).strip()
        if not any(c.isalnum() for c in text):
            text = ""
    return text, [part for part in gone if part.strip()]


def redact_all(value: Any, marks: Marks) -> Any:
    """The same through a JSON value: a list loses items that are left empty."""
    if isinstance(value, str):
        return redact(value, marks)[0]
    if isinstance(value, list):
        return [left for item in value if (left := redact_all(item, marks)) or not item]
    if isinstance(value, dict):
        return {key: redact_all(item, marks) for key, item in value.items()}
    return value


def strings(value: Any) -> Iterable[str]:
    """All strings of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
