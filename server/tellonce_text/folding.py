"""Folds text character by character, so that texts can be compared without case, diacritics and other forms of letters.
Pure.

`fold(a + b) == fold(a) + fold(b)`. A part that was copied from a text is therefore found in this text. Unicode
normalization of whole strings does not have this property.

`unicodedata.normalize` sorts the combining marks after a letter by insertion. This takes 4.5 seconds for 64,000 marks.
Words of real languages have a few marks on a letter; UAX #15 ("stream-safe text") allows 30. `nfkc` keeps this many.
"""

import re
import unicodedata
from functools import cache
from typing import Final

_LETTERS: Final = {
    "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ʻ": "'", "ʼ": "'",
    "æ": "ae", "œ": "oe", "þ": "th",
}  # fmt: skip
_FIXED: Final = dict.fromkeys("‐‑‒–—―−﹘﹣－", "-") | dict.fromkeys("‘’‚‛′`´＇", "'") | dict.fromkeys("“”„‟″«»＂", '"')
_UNSEEN_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_UNSEEN: Final = frozenset(("Mn", "Me", "Cf"))
_SKIN_TONES: Final = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_CONTROLS: Final = "".join(map(chr, (*range(1, 32), 127)))
_FOLDED_ASCII: Final = re.compile(rf"[\x00{re.escape(_CONTROLS)}`]")


def fold(text: str) -> str:
    """Lower case, without diacritics and invisible characters, and with digits of all scripts as 0-9."""
    if text.isascii():
        lowered = text.lower()
        return lowered.translate(_TABLE) if _FOLDED_ASCII.search(lowered) else lowered
    return text.translate(_TABLE)


def _fold_character(c: str) -> str:
    if c in _FIXED:
        return _FIXED[c]
    if c.isspace():
        return " "
    decomposed = unicodedata.normalize("NFKD", c)
    for _ in range(3):  # each step can create input for the other; after three rounds, nothing changes
        decomposed = unicodedata.normalize("NFKD", decomposed.casefold())
    return "".join(map(_fold_part, decomposed))


def _fold_part(c: str) -> str:
    category = unicodedata.category(c)
    if category in _UNSEEN or c in _UNSEEN_LETTERS or c in _SKIN_TONES:
        return ""
    if c.isspace() or category == "Cc":
        return " "
    digit = unicodedata.decimal(c, None)
    return _LETTERS.get(c, _FIXED.get(c, c)) if digit is None else str(digit)


class _Table(dict[int, str]):
    """The entry of a character is computed when the character first occurs."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


_TABLE: Final = _Table()


LONGEST_RUN: Final = 30
"""Maximum number of combining marks in a row that are kept after a letter."""

# Two ligatures represent whole phrases, of 18 and 8 letters. The ligatures are removed, because a text that consists
# only of these ligatures would become many times as long.
_PHRASES: Final = {0xFDFA: " ", 0xFDFB: " "}

# These characters are not combining marks themselves, but NFKC converts them to combining marks.
_MADE_OF_MARKS: Final = "\u0f73\u0f75\u0f81\uff9e\uff9f"

_LOWEST, _HIGHEST = 0x300, 0x20000


def nfkc(text: str) -> str:
    """`text` in NFKC. If a letter has very many combining marks, the last marks are removed. A ligature of a whole
    phrase becomes a space."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _excess().sub(r"\1", text.translate(_PHRASES)))


@cache
def _excess() -> re.Pattern[str]:
    """Compiled at its first use, because compiling takes 8 ms. Group 1 contains the marks to keep."""
    marks = _MADE_OF_MARKS + "".join(c for c in map(chr, range(_LOWEST, _HIGHEST)) if unicodedata.combining(c))
    return re.compile(f"([{marks}]{{{LONGEST_RUN}}})[{marks}]+")
