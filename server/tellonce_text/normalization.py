"""Unicode's compatibility form (NFKC) of any text in linear time. Pure.

`unicodedata.normalize` sorts the combining marks after a letter with an insertion sort: 64,000 marks after one letter
take 4.5 seconds. No language needs more than a few; UAX #15 ("stream-safe text") allows 30.
"""

import re
import unicodedata
from functools import cache
from typing import Final

LONGEST_RUN: Final = 30
"""Combining marks kept after one letter."""

# The two ligatures that stand for whole phrases. They become 18 and 8 letters, which would multiply the length of a
# text of ligatures.
_PHRASES: Final = {0xFDFA: " ", 0xFDFB: " "}

# These characters are not combining marks by their class, but they decompose into some.
_MADE_OF_MARKS: Final = "\u0f73\u0f75\u0f81\uff9e\uff9f"

_LOWEST, _HIGHEST = 0x300, 0x20000


def nfkc(text: str) -> str:
    """`text` in NFKC, with runs of combining marks cut and the ligatures of whole phrases left out."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _excess().sub(r"\1", text.translate(_PHRASES)))


@cache
def _excess() -> re.Pattern[str]:
    """Matches a run of too many marks; its first group are the marks to keep. It is compiled at its first use, because
    that takes 8 ms."""
    marks = _MADE_OF_MARKS + "".join(c for c in map(chr, range(_LOWEST, _HIGHEST)) if unicodedata.combining(c))
    return re.compile(f"([{marks}]{{{LONGEST_RUN}}})[{marks}]+")
