"""Finds the words that a model claims to quote in the messages, in any language."""

import re
from collections.abc import Sequence

from tellonce.work import WorkMessage

_APOSTROPHES = re.compile(r"['’‘ʼ´]")
_QUOTES = re.compile(r"[\"“”„«»]")


def own(messages: Sequence[WorkMessage]) -> list[WorkMessage]:
    """The messages written by people. Messages of the assistant and of routines support no statement."""
    return [message for message in messages if message.role == "user" and not message.routine]


def placed(words: str, number: int, said: Sequence[WorkMessage]) -> tuple[int, str] | None:
    """The number of a message that contains `words`, and the words as written there; None if there is no such message.
    The message `number` is tried first."""
    for message in sorted(said, key=lambda message: message.id != number):
        found = verbatim(words, message.text)
        if found:
            return message.id, found
    return None


def verbatim(quote: str, text: str) -> str:
    """The words of `text` that `quote` copies; empty if there are none. White space, case and quotation marks may
    differ."""
    words = quote.strip(" \n\t\"“”'").split()
    if not words:
        return ""
    pattern = r"\s+".join(_loose(word) for word in words)
    match = re.search(pattern, text, re.IGNORECASE)
    return match.group() if match else ""


def _loose(word: str) -> str:
    escaped = re.escape(word)
    return _QUOTES.sub('["“”„«»]', _APOSTROPHES.sub("['’‘ʼ´]", escaped))
