"""Splits long texts at good places for Telegram. Pure."""

from collections.abc import Iterator

from tellonce_relay.telegram.markdown import Marked, cut_out, units

LONGEST = 4096
"""Maximum UTF-16 units of one Telegram message."""

_BREAKS = ("\n\n", "\n", ". ", "。", " ")


def split(whole: Marked, longest: int = LONGEST) -> list[Marked]:
    """Parts of at most `longest` units, split at paragraphs, lines, sentences or words, with their marks."""
    at = 0
    parts: list[Marked] = []
    for piece in _pieces(whole.text, longest):
        part = cut_out(whole, at, piece)
        if part.text:
            parts.append(part)
        at += units(piece)
    return parts


def _pieces(text: str, longest: int) -> Iterator[str]:
    """The text in pieces, which joined give the text again."""
    while units(text) > longest:
        cut = _cut(text, longest)
        yield text[:cut]
        text = text[cut:]
    yield text


def _cut(text: str, longest: int) -> int:
    limit = _characters(text, longest)
    for mark in _BREAKS:
        at = text.rfind(mark, limit // 2, limit)
        if at > 0:
            return at + len(mark)
    return limit


def _characters(text: str, longest: int) -> int:
    """How many characters fit. One outside the basic plane counts twice and is never split."""
    used = 0
    for index, character in enumerate(text):
        used += 1 + (ord(character) > 0xFFFF)
        if used > longest:
            return index
    return len(text)
