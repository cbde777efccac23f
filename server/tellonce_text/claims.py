"""Extracts what a text states in comparable form: numbers, dates, negations, names and content words.

Two texts with different claims say different things, however similar they sound. A statement with claims that its
source lacks was invented. `dedup` and `evidence` decide by these; this module compares nothing and knows no clock.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from tellonce_text.caches import of_texts
from tellonce_text.dates.date_mentions import Mention, find
from tellonce_text.lexicon import (
    AMOUNT_WORDS,
    IDIOMS,
    NAME_FOLLOWERS,
    NEGATORS,
    NOT_COUNTED_AFTER,
    NOT_COUNTED_BEFORE,
    NOT_NAMES,
    NUMBER_WORDS,
    OPENERS,
    ORDINALS,
    SCALES,
    STOP_WORDS,
    UNITS,
)
from tellonce_text.sentences import split_sentences
from tellonce_text.stemming import stem

_WORD = re.compile(r"[^\W_]+(?:['\-.&][^\W_]+)*[+#]*")
_AMOUNT = re.compile(
    r"(?P<sign>[$€£¥₹])?\s?(?<![\w.])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*)(?P<scale>[kKM](?![\w]))?"
    r"(?:[\s-]?(?P<big>(?i:hundred|thousand|million|billion)))?(?:[\s-]?(?P<power>(?:square|cubic|sq\.?)\s)?(?P<unit>%|°?[A-Za-zµ]+))?"
    r"|(?P<word>\b[A-Za-z]+(?:-[A-Za-z]+)*\b)"
)
_NAMING = re.compile(r"\b(?:called|named|names? (?:is|are)|name's|nicknamed)\s+([^\W\d_]{2,})", re.IGNORECASE)
_KATAKANA = re.compile(r"[ァ-ヿ]{2,}")


@dataclass(frozen=True, slots=True)
class Claims:
    """The comparable content of one text."""

    numbers: frozenset[str]  # canonical decimals: '2', '3.5', '123456789012'
    quantities: frozenset[str]  # the same with the unit: '2 kg', '50 %', or '3' if no unit is known
    dates: frozenset[str]  # keys of date mentions, `date_mentions.Mention.key`
    mentions: tuple[Mention, ...]
    negations: int  # the number of words that deny, end or refuse something
    entities: frozenset[str]  # names in lower case, one word each
    words: frozenset[str]  # every word in lower case
    stems: tuple[str, ...]  # content words in order, stemmed; no stop words, numbers, or dates


@of_texts
@lru_cache(maxsize=2_048)
def claims(text: str) -> Claims:
    """Read one text."""
    flat = plain(text)
    mentions = tuple(find(flat))
    rest = _blank(flat, mentions)
    amounts = _amounts(rest)
    words = [match[0] for match in _WORD.finditer(flat)]
    return Claims(
        numbers=frozenset(amount for amount, _ in amounts),
        quantities=frozenset(f"{amount} {unit}".strip() for amount, unit in amounts),
        dates=frozenset(mention.key() for mention in mentions),
        mentions=mentions,
        negations=len(NEGATORS.findall(IDIOMS.sub(" ", rest))),
        entities=frozenset(_entities(rest)),
        words=frozenset(_lower(word) for word in words),
        stems=tuple(content_stems(rest)),
    )


def content_stems(text: str) -> list[str]:
    """Stems of the content words, in order."""
    words = (_lower(match[0]) for match in _WORD.finditer(text))
    lowered = (part for word in words for part in (word.split("-") if word.isascii() else [word]) if part)
    return [stem(word) for word in lowered if not (word in STOP_WORDS or word[0].isdigit() or _is_number_word(word))]


def _is_number_word(word: str) -> bool:
    return all(part in NUMBER_WORDS or part in SCALES for part in word.split("-"))


def tokens_of(text: str) -> tuple[str, ...]:
    """The lower-case words and numbers of a text in order, without possessive endings."""
    return tuple(_lower(match[0]) for match in _WORD.finditer(plain(text)))


def plain(text: str) -> str:
    """The text with one kind of apostrophe and hyphen, so that the rules below need only one."""
    return text.translate(_PLAIN)


_PLAIN: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "\u00a0": " ", "“": '"', "”": '"'})


def _blank(text: str, mentions: tuple[Mention, ...]) -> str:
    for mention in mentions:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def _lower(word: str) -> str:
    lowered = word.lower()
    return lowered[:-2] if lowered.endswith("'s") and lowered not in STOP_WORDS else lowered


def _amounts(text: str) -> list[tuple[str, str]]:
    """Each amount with its unit ('' if unknown), for digits and number words."""
    found: list[tuple[str, str]] = []
    matches = list(_AMOUNT.finditer(text))
    position = 0
    while position < len(matches):
        match = matches[position]
        if match["digits"]:
            found.append(_digits(match))
            position += 1
            continue
        amount, used = _spelled(matches, position)
        if amount:
            unit = (
                matches[position + used]["word"].lower()
                if position + used < len(matches) and matches[position + used]["word"]
                else ""
            )
            found.append((amount, UNITS.get(unit, "") if not amount.endswith("th") else ""))
        position += max(1, used)
    return [(amount.removesuffix("th"), "th" if amount.endswith("th") else unit) for amount, unit in found]


def _digits(match: re.Match[str]) -> tuple[str, str]:
    amount = _canonical(match["digits"].replace(",", ""), 1_000 if (match["scale"] or "").lower() == "k" else 1)
    if match["scale"] == "M":
        amount = _canonical(amount, 1_000_000)
    if match["big"]:
        amount = _canonical(amount, SCALES[match["big"].lower()])
    unit = UNITS.get(match["sign"] or (match["unit"] or "").lower(), "")
    return amount, f"{match['power'][0]}-{unit}" if unit and match["power"] else unit


def _canonical(digits: str, scale: int = 1) -> str:
    """'1000' for 1000.0; versions (3.11.2) and codes with a leading zero are unchanged."""
    if digits.count(".") > 1 or (len(digits) > 1 and digits[0] == "0" and digits[1] != "."):
        return digits
    return f"{(Decimal(digits) * scale).normalize():f}"


_LONGEST_NUMBER: Final = 10  # words; "nine hundred and ninety-nine thousand nine hundred and ninety-nine" has nine


def _spelled(matches: list[re.Match[str]], position: int) -> tuple[str, int]:
    """The amount spelled out by the words from `position` on, and the number of these words; ('', 0) if there is
    none."""
    word = (matches[position]["word"] or "").lower()
    if word in ORDINALS:
        return f"{ORDINALS[word]}th", 1
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


def _entities(text: str) -> set[str]:
    found = {match[0].lower() for match in _KATAKANA.finditer(text)}
    found |= {name for match in _NAMING.finditer(text) if (name := match[1].lower()) not in STOP_WORDS}
    for sentence in split_sentences(text):
        words = [match[0] for match in _WORD.finditer(sentence)]
        shouted = len(words) > 2 and sentence.isupper()
        for index, word in enumerate(words):
            following = words[index + 1] if index + 1 < len(words) else ""
            if not shouted and _is_name(word, following, first=index == 0):
                found.add(_lower(word))
    return found


def _is_name(word: str, following: str, *, first: bool) -> bool:
    lowered = word.lower()
    if lowered in NOT_NAMES or _lower(word) in NOT_NAMES:
        return False
    if any(c.isdigit() for c in word):
        return _is_code(word)
    if any(c.isupper() for c in word[1:].replace("-", "")):
        return len(word) > 1
    if not word[0].isupper() or (len(word) == 1 and first):
        return False
    if not first:
        return True
    if lowered in OPENERS or lowered in STOP_WORDS:
        return False
    verb = following.lower()
    return following[:1].isupper() or verb in NAME_FOLLOWERS or verb.endswith(("s", "ed")) or word.endswith("'s")


def _is_code(word: str) -> bool:
    """B12 and GPT-4 are names; 20mg, 5k, 3rd and 5-year-old are amounts."""
    letters = word.lstrip("0123456789.,")
    if letters.startswith("-") and letters.split("-")[1].lower() in UNITS:
        return False
    return any(c.isalpha() for c in word) and (letters == word or letters.lower() not in UNITS | {"k": "", "s": ""})
