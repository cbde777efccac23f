"""Converts any text to Unicode's compatibility form (NFKC) in linear time. Pure.

`unicodedata.normalize` sorts the combining marks after a letter by insertion, which takes 4.5 seconds for 64,000 marks.
Words of real languages have a few marks on a letter; UAX #15 ("stream-safe text") allows 30.
"""

import re
import unicodedata
from functools import cache
from typing import Final

LONGEST_RUN: Final = 30
"""Combining marks kept after one letter."""

# Two ligatures stand for whole phrases, of 18 and 8 letters. They are removed, because a text of only these ligatures
# would become many times as long.
_PHRASES: Final = {0xFDFA: " ", 0xFDFB: " "}

# These characters are not combining marks themselves, but NFKC converts them to combining marks.
_MADE_OF_MARKS: Final = "\u0f73\u0f75\u0f81\uff9e\uff9f"

_LOWEST, _HIGHEST = 0x300, 0x20000


def nfkc(text: str) -> str:
    """`text` in NFKC. Long runs of combining marks are cut, and ligatures of whole phrases become spaces."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _excess().sub(r"\1", text.translate(_PHRASES)))


@cache
def _excess() -> re.Pattern[str]:
    """A pattern for too many combining marks in a row; group 1 holds the marks to keep. It is compiled at its first
    use, because compiling takes 8 ms."""
    marks = _MADE_OF_MARKS + "".join(c for c in map(chr, range(_LOWEST, _HIGHEST)) if unicodedata.combining(c))
    return re.compile(f"([{marks}]{{{LONGEST_RUN}}})[{marks}]+")
