"""Shortens long texts for models that read many of them."""

from typing import Final

MARK: Final = "…"


def head_and_tail(text: str, characters: int) -> str:
    """Return at most `characters` of the text: two thirds from the beginning and the rest from the end, where people
    often state their point."""
    if len(text) <= characters:
        return text
    tail = max(1, characters // 3)
    return f"{text[: max(1, characters - tail - 3)]} {MARK} {text[-tail:]}"
