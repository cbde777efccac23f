"""Folds text character by character and finds literals in folded text. Pure.

`fold(a + b) == fold(a) + fold(b)`, so any part copied from a text is found in that text. (Unicode normalization of
whole strings does not have this property.) A literal also matches text with other separators between its digits and
words. The time of every function is linear in the length of the text, because `MOST_FLEXIBLE` limits the length of such
a literal.

`unicodedata.normalize` sorts the combining marks after a letter by insertion, which takes 4.5 seconds for 64,000 marks.
Words of real languages have a few marks on a letter; UAX #15 ("stream-safe text") allows 30. `nfkc` keeps this many.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

MOST_FLEXIBLE = 128
"""Maximum characters of a folded literal that is also found with other separators. A longer literal is searched for
exactly, because the flexible search may compare the whole literal at each position of the text."""

COINCIDENCE = 5
"""A number with at least this many digits, such as a card number, is the same number even if its separators differ. A
shorter match may be a coincidence: `1, 2, 3` may not mean 123.
"""

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
_SEPARATOR: Final = r"[ ,.'_/()-]*"
"""Separators that may occur between two digits of a number."""
_MARKUP: Final = "*_~'"
"""Characters that a client does not show if they mark bold, italic or struck text or code. A folded "`" is "'"."""
_UNSHOWN: Final = rf"[{_MARKUP}]*"
_GAP: Final = rf"[ >#|{_MARKUP}-]*"
"""Separators that may occur between two words of a name, with the markup of quotes, headings and tables."""
_PARTS: Final = re.compile(
    rf"(?P<number>\d(?:[ ,.'_/()-]*\d)*)|(?P<gap>[ -]+)|(?P<letters>[^\W\d_]+)|(?P<markup>[{_MARKUP}]+)|(?P<other>[^\w \-{_MARKUP}]+)"
)
_LIKE_RUN: Final = re.compile(r"[a-z]+|[0-9]")
_PLAIN_RUN: Final = re.compile(r"[^\W\d_]+|\d|[^\w \-]|_")
_MOST_RUNS: Final = 16
"""Maximum runs of letters and digits in a LIKE pattern; more runs would exclude hardly any further texts."""


def fold(text: str) -> str:
    """The text in lower case, without diacritics and invisible characters, and with the digits of all scripts as
    0-9."""
    if text.isascii():
        lowered = text.lower()
        return lowered.translate(_TABLE) if _FOLDED_ASCII.search(lowered) else lowered
    return text.translate(_TABLE)


@dataclass(frozen=True)
class Span:
    """The place of a match in the original text. `loose` means that a short number matched with other separators, which
    may be a coincidence."""

    start: int
    end: int
    loose: bool = False


@dataclass(frozen=True)
class Literal:
    """A folded literal to search for. A text that does not contain `gate` cannot match. `pattern` is None for an exact
    search."""

    folded: str
    gate: str
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, said: str) -> "Literal | None":
        """The literal for a text; None if the folded text is empty or blank."""
        folded = fold(said).strip()
        if not folded:
            return None
        if len(folded) > MOST_FLEXIBLE:
            return cls(folded, folded, None)
        folded = " ".join(folded.split())
        searched = folded.lstrip(f" -{_MARKUP}") or folded
        gate = max(_PLAIN_RUN.findall(searched), key=len, default="")
        return cls(folded, gate, re.compile(_flexible(folded)))

    @property
    def like(self) -> str | None:
        """A LIKE pattern that matches every ASCII text with the literal, in lower case; None if an ASCII text cannot
        contain the literal."""
        if not self.folded.isascii():
            return None
        return "%".join(["", *_LIKE_RUN.findall(self.folded)[:_MOST_RUNS], ""])

    def spans(self, text: str) -> list[Span]:
        """The matches in the original text, in order and without overlap. A match includes invisible characters after
        it."""
        folded = fold(text)
        held = self.gate in folded and (self.pattern is None or self.pattern.search(folded) is not None)
        return list(self._spans(text, folded)) if held else []

    def _spans(self, text: str, folded: str) -> Iterator[Span]:
        origins = None if len(folded) == len(text) and text.isascii() else _origins(text)
        pattern = self.pattern or re.compile(re.escape(self.folded))
        for match in pattern.finditer(folded):
            start, end = match.span()
            if origins is not None:
                start, end = origins[start], _behind(text, origins[end - 1] + 1)
            yield Span(start, end, loose=self._is_loose(match[0]))

    def _is_loose(self, hit: str) -> bool:
        digits = sum(map(str.isdigit, self.folded))
        return 1 < digits < COINCIDENCE and hit != self.folded and _numbers(hit) != _numbers(self.folded)


def _flexible(folded: str) -> str:
    """The pattern of a literal. It begins with none of the characters that it may skip, because a long run of them
    would be read again from each of its characters."""
    parts: list[str] = []
    before = "gap"
    for match in _PARTS.finditer(folded):
        kind, part = str(match.lastgroup), match[0]
        if kind in ("gap", "markup") and not parts:
            continue
        if kind == "gap":
            parts.append(_GAP if match.end() < len(folded) else "")
        else:
            parts.append("" if {kind, before} & {"gap", "markup"} else _UNSHOWN)
            digits = filter(str.isdigit, part)
            parts.append(_SEPARATOR.join(digits) if kind == "number" else re.escape(part))
        before = kind
    return "".join(parts) or re.escape(folded)


def _numbers(folded: str) -> list[str]:
    return re.findall(r"\d(?:[ ,.'_/()-]*\d)*", folded)


def _origins(text: str) -> list[int]:
    """Return, for each character of the folded text, the index of the original character from which it was folded."""
    return [position for position, c in enumerate(text) for _ in fold(c)]


def _behind(text: str, end: int) -> int:
    while end < len(text) and not fold(text[end]):
        end += 1
    return end


def _fold_character(c: str) -> str:
    if c in _FIXED:
        return _FIXED[c]
    if c.isspace():
        return " "
    decomposed = unicodedata.normalize("NFKD", c)
    for _ in range(3):  # each step can create input for the other; after three rounds nothing changes any more
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
    """A translation table. The entry of a character is computed when the character first occurs."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


_TABLE: Final = _Table()


LONGEST_RUN: Final = 30
"""Maximum number of combining marks in a row that are kept after a letter."""

# Two ligatures represent whole phrases, of 18 and 8 letters. The ligatures are removed, because a text of only these
# ligatures would become many times as long.
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
    """A pattern for too many combining marks in a row; group 1 holds the marks to keep. The pattern is compiled at its
    first use, because compiling takes 8 ms."""
    marks = _MADE_OF_MARKS + "".join(c for c in map(chr, range(_LOWEST, _HIGHEST)) if unicodedata.combining(c))
    return re.compile(f"([{marks}]{{{LONGEST_RUN}}})[{marks}]+")
