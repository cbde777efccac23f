"""Extracts the numbers, dates and content words of a text in a form that `forget` and tombstones can compare."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from tellonce_text.caches import of_texts
from tellonce_text.dates.readings import Expression, Said
from tellonce_text.dates.resolver import expressions
from tellonce_text.lexicon import (
    AMOUNT_WORDS,
    NOT_COUNTED_AFTER,
    NOT_COUNTED_BEFORE,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    STOP_WORDS,
)
from tellonce_text.stemming import stem

_WORD = re.compile(r"[^\W_]+(?:['\-.&][^\W_]+)*[+#]*")
_AMOUNT = re.compile(
    r"(?P<sign>[$€£¥₹])?\s?(?<![\w.])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)(?P<scale>[kKM](?![\w]))?"
    r"(?:[\s-]?(?P<big>(?i:hundred|thousand|million|billion)))?(?:[\s-]?(?P<power>(?:square|cubic|sq\.?)\s)?(?P<unit>%|°?[A-Za-zµ]+))?"
    r"|(?P<word>\b[A-Za-z]+(?:-[A-Za-z]+)*\b)"
)


@dataclass(frozen=True, slots=True)
class Claims:
    """The comparable content of one text."""

    numbers: frozenset[str]  # canonical decimals: '2', '3.5', '123456789012'
    dates: frozenset[str]  # days, years and times of day, in one form for all spellings
    stems: tuple[str, ...]  # stemmed content words in order, without stop words, numbers and dates


@of_texts
@lru_cache(maxsize=2_048)
def claims(text: str) -> Claims:
    """Extract the comparable content of a text."""
    flat = plain(text)
    dates = [one for one in expressions(flat, _ANY_DAY, "future") if one.readings]
    rest = _blank(flat, dates)
    return Claims(
        numbers=_amounts(rest),
        dates=frozenset(part for date in dates for part in _parts(date)),
        stems=tuple(content_stems(rest)),
    )


_ANY_DAY: Final = Said(datetime(2001, 1, 1, 12, tzinfo=UTC), ZoneInfo("UTC"))
"""All texts are read as if they were said at this time, so that only their words count."""


def _parts(date: Expression) -> list[str]:
    """The days, the year and the time of day that the expression gives. Unlike a number, each part contains a colon."""
    start, (first, last) = date.readings[0].start, date.readings[0].days
    days = [f"day:{first:%m-%d}/{last:%m-%d}"] if first != _ANY_DAY.at.date() or not date.timed else []
    return [*days, *([f"year:{first:%Y}"] if date.absolute else []), *([f"{start:%H:%M}"] if date.timed else [])]


def content_stems(text: str) -> list[str]:
    """Stems of the content words, in order."""
    words: list[str] = _WORD.findall(text)
    stems = {word: _stems_in(word) for word in set(words)}
    return [part for word in words for part in stems[word]]


def _stems_in(word: str) -> list[str]:
    lowered = _lower(word)
    parts = lowered.split("-") if lowered.isascii() else [lowered]
    return [
        stem(part) for part in parts if part and not (part in STOP_WORDS or part[0].isdigit() or _is_number_word(part))
    ]


def _is_number_word(word: str) -> bool:
    return all(part in NUMBER_WORDS or part in SCALES for part in word.split("-"))


def tokens_of(text: str) -> tuple[str, ...]:
    """The lower-case words and numbers of a text in order, without possessive endings."""
    return tuple(map(_lower, _WORD.findall(plain(text))))


def plain(text: str) -> str:
    """The text with ASCII apostrophes, hyphens and quotation marks."""
    return text.translate(_PLAIN)


_PLAIN: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "\u00a0": " ", "“": '"', "”": '"'})


def _blank(text: str, dates: Sequence[Expression]) -> str:
    pieces: list[str] = []
    end = 0
    for date in dates:
        pieces += (text[end : date.start], " " * (date.end - date.start))
        end = date.end
    return "".join((*pieces, text[end:]))


def _lower(word: str) -> str:
    lowered = word.lower()
    return lowered[:-2] if lowered.endswith("'s") and lowered not in STOP_WORDS else lowered


def _amounts(text: str) -> frozenset[str]:
    """The amounts of the text, in digits or in words."""
    matches = list(_AMOUNT.finditer(text))
    written: set[tuple[str | None, ...]] = set()
    spelled: set[str] = set()
    following = 0
    for position, match in enumerate(matches):
        if match.lastgroup != "word":
            written.add(match.group("digits", "scale", "big"))
        elif position >= following and _begins_number(match["word"]):
            amount, used = _spelled(matches, position)
            spelled.add(amount)
            following = position + used
    return (frozenset(_digits(digits or "", scale, big) for digits, scale, big in written) | spelled) - {""}


def _begins_number(word: str) -> bool:
    """A quick check whether a number may begin with this word. Only the answer False is certain."""
    return word.lower().partition("-")[0] in _NUMERALS


_NUMERALS: Final = frozenset((*NUMBER_WORDS, *SCALES, *ORDINALS, *AMOUNT_WORDS))


def _digits(digits: str, suffix: str | None, big: str | None) -> str:
    scale = {"k": 1_000, "K": 1_000, "M": 1_000_000}.get(suffix or "", 1)
    amount = _canonical(digits.replace(",", ""), scale)
    return _canonical(amount, SCALES[big.lower()]) if big else amount


def _canonical(digits: str, scale: int = 1) -> str:
    """The number multiplied by `scale`: `"1000.0" -> "1000"`. Versions (3.11.2) and codes such as 007 stay."""
    if digits.count(".") > 1 or (len(digits) > 1 and digits[0] == "0" and digits[1] != "."):
        return digits
    if scale == 1 and len(digits) <= _EXACT and digits.isascii() and digits.isdigit():
        return digits
    return f"{(Decimal(digits) * scale).normalize():f}"


_EXACT: Final = 28
"""`Decimal` does not round a number with at most this many digits."""


_LONGEST_NUMBER: Final = 10  # words; 999,999 has nine words


def _spelled(matches: list[re.Match[str]], position: int) -> tuple[str, int]:
    """The amount in words at `position` and the number of its words: `two hundred -> ("200", 2)`. Without a number,
    `("", 0)`."""
    word = (matches[position]["word"] or "").lower()
    if word in ORDINALS:
        return ORDINALS[word], 1
    if word in AMOUNT_WORDS:
        return AMOUNT_WORDS[word], 1
    if word == "one" and not _counts(matches, position):
        return "", 1
    total = current = used = 0
    for match in matches[position : position + _LONGEST_NUMBER]:
        word = (match["word"] or "end").lower()
        parts = [] if word == "and" and used and current % 100 == 0 else word.split("-")
        if not _is_number_word("-".join(parts) or "zero"):
            break
        for part in parts:
            current, total = _add(part, current, total)
        used += 1
    return (str(total + current), used) if used else ("", 0)


def _add(part: str, current: int, total: int) -> tuple[int, int]:
    if part in NUMBER_WORDS:
        return current + NUMBER_WORDS[part], total
    if part == "hundred":
        return max(1, current) * 100, total
    return 0, total + max(1, current) * SCALES[part]


def _counts(matches: list[re.Match[str]], position: int) -> bool:
    before = (matches[position - 1]["word"] or "").lower() if position else ""
    after = (matches[position + 1]["word"] or "").lower() if position + 1 < len(matches) else ""
    return bool(after) and before not in NOT_COUNTED_BEFORE and after not in NOT_COUNTED_AFTER
