"""The syntax of a tag in a model's answer, such as `[REMEMBER: …]`, in every spelling that the relay accepts. Pure.

The relay parses tags with these patterns. The server uses the same patterns to make tags in stored text harmless, so
that stored text cannot act as a tag.
"""

import re
import unicodedata
from typing import Final

NAMES: Final = ("REMEMBER_GLOBAL", "REMEMBER", "REMIND", "GOAL", "DONE", "SEEN")
DEADLINE, AT, EVERY = "DEADLINE", "AT", "EVERY"

OPENERS: Final = "[［⁅❲〔【〖⟦〚﹝⦋⦗"
CLOSERS: Final = "]］⁆❳〕】〗⟧〛﹞⦌⦘"
COLONS: Final = ":：﹕︓∶꞉ː˸"
BARS: Final = "|｜¦∣"

# These Unicode blocks contain other forms of Latin letters: letter-like, enclosed, full-width, mathematical.
_BLOCKS: Final = ((0x17F, 0x180), (0x2100, 0x2500), (0xFF00, 0xFFF0), (0x1D400, 0x1D800), (0x1F100, 0x1F200))
_INVISIBLE: Final = "".join(
    chr(code)
    for first, last in ((0x1, 0xAE), (0x600, 0x606), (0x61C, 0x61D), (0x180B, 0x1810), (0x2000, 0x2070), (0xFE00, 0xFE10))
    for code in range(first, last)
    if unicodedata.category(chr(code)) in ("Cc", "Cf", "Mn") and not chr(code).isspace()
) + "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufeff\uffa0\ufff9\ufffa\ufffb\U000e0001"  # fmt: skip
_HIDDEN: Final = f"[{_INVISIBLE}\U000e0020-\U000e007f\U000e0100-\U000e01ef]*+"
_BLANK: Final = rf"(?:\s|[{_INVISIBLE}\U000e0020-\U000e007f\U000e0100-\U000e01ef])*+"


def _forms() -> dict[str, str]:
    """For each letter of the tag names, return all characters that Unicode treats as forms of the letter."""
    letters = sorted({letter for name in (*NAMES, DEADLINE, AT, EVERY) for letter in name})
    found = {letter: letter + letter.lower() for letter in letters}
    for character in (chr(code) for first, last in _BLOCKS for code in range(first, last)):
        letter = unicodedata.normalize("NFKC", character).upper()
        if letter in found:
            found[letter] += character
    return found


_FORMS: Final = _forms()


def _spelled(word: str) -> str:
    return _HIDDEN.join(f"[{_FORMS[letter]}]" for letter in word)


_NAME: Final = "|".join(map(_spelled, NAMES))

_AFTER_BRACKET: Final = rf"{_BLANK}(?P<name>{_NAME}){_BLANK}[{COLONS}]"

OPENING: Final = re.compile(rf"[{re.escape(OPENERS)}]{_AFTER_BRACKET}")
"""The beginning of a tag up to its colon."""

SHOWN: Final = re.compile(rf"[{re.escape(OPENERS)}(]{_AFTER_BRACKET}")
"""The beginning of a tag in a prompt. A round bracket is accepted as well, because the server replaces the square
bracket of a tag in stored text with a round bracket."""

MAY_OPEN: Final = re.compile(
    rf"[{re.escape(OPENERS)}]{_BLANK}(?P<name>(?:[{''.join(_FORMS.values())}]{_HIDDEN})*+){_BLANK}\Z"
)
"""Matches the beginning of a possible tag at the end of an unfinished text, such as `[REM`."""


def _time_mark(word: str) -> re.Pattern[str]:
    return re.compile(rf"[{BARS}]{_BLANK}{_spelled(word)}{_BLANK}[{COLONS}]\s*(?P<time>.*)\Z", re.DOTALL)


DEADLINE_MARK: Final = _time_mark(DEADLINE)
"""Matches the end of a goal's tag: `| DEADLINE: May 3`."""

AT_MARK: Final = _time_mark(AT)
"""Matches the end of a reminder's tag: `| AT: 2026-05-03T09:00`."""

EVERY_MARK: Final = _time_mark(EVERY)
"""Matches the end of a repeated reminder's tag: `| EVERY: 0 9 * * 1-5`."""


def name_of(written: str) -> str:
    """The name of a tag in plain capital letters. The tag may be written in any spelling."""
    plain = "".join(unicodedata.normalize("NFKC", character) for character in written)
    return "".join(c for c in plain if c == "_" or (c.isalpha() and c.isascii())).upper()
