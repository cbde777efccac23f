"""Splits a text into sentences without losing characters. Pure, independent of language, linear in the text."""

import re
from collections.abc import Iterator
from typing import Final

_SENTENCE: Final = re.compile(
    r"[^\n.!?…。！？]+(?:[.!?…。！？]+(?!\w)[\"')\]]*|\.(?=\w)|[!?…。！？]+(?=\w))*[^\S\n]*|\n+|[.!?…。！？]+\s*"
)


def sentences(text: str) -> list[str]:
    """The text cut into sentences, which joined give the text again."""
    return _SENTENCE.findall(text)


def placed_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences, each with its start index."""
    return ((match.start(), match[0]) for match in _SENTENCE.finditer(text))
