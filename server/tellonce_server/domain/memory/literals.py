"""Compares two texts by their words, names and numbers as written, in any language and script.

The module knows words of one language only, German. Its nouns are capitalized like names, and an article shows that a
word is not a name. Every function is pure and linear in the length of its text.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from anyascii import anyascii

from tellonce_text.caches import of_texts
from tellonce_text.dates.lexicon import is_determiner, is_time_noun
from tellonce_text.dates.tokens import language_of
from tellonce_text.folding import nfkc

MAX_NAMES: Final = 64
"""Maximum names of one text that are compared."""

# _UNSPACED: scripts without spaces between words. _MARKED: scripts with vowel signs that Unicode does not classify as
# letters.
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u309f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKED: Final = r"\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff"
_TOKEN: Final = re.compile(rf"([{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKED}])+)")
_ASCII_TOKEN: Final = re.compile(r"([A-Za-z0-9]+)")
"""Finds the same tokens as `_TOKEN` in ASCII texts, several times as fast."""
_UNSPACED_TOKEN: Final = re.compile(rf"[{_UNSPACED}]")
_KATAKANA: Final = re.compile(r"[\u30a0-\u30ff]")
_NUMBER: Final = re.compile(r"(\d+(?:[.,'’ \u066b\u066c]\d+)*)(?: ?([kK]|[ckm]?m|[km]?g|ml|l)(?![^\W_]))?")
"""Matches a number and the metric unit or `k` after it. `k` means thousands."""
_THOUSANDS: Final = re.compile(r"(?<=\d)[kK](?![^\W_])")
_SCALES: Final = {
    "mm": (0.1, 0.001), "cm": (10, 0.01), "m": (100, 0.001), "km": (1000,), "mg": (0.001,), "g": (0.001, 1000), "kg": (1000,), "ml": (0.001,),
    "l": (1000,),
}  # fmt: skip
"""For each metric unit, its factors to other units: 5 km are 5000 m."""
_SENTENCE_END: Final = re.compile(r"[.!?…。！？؟।\n]")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written. `readings` are its possible meanings: 1,200 means 1200 or 1.2. One reading can have several
    numbers: 3.5.2026 means 3, 5 and 2026."""

    text: str
    readings: tuple[frozenset[str], ...]
    converted: tuple[frozenset[str], ...] = ()
    """The same measure in other metric units: 1.76 for 176 cm."""


class _Plain(dict[int, str]):
    """Maps each character to its plain form, without accents and invisible characters. Digits of any script become
    0–9."""

    def __missing__(self, code: int) -> str:
        plain = _plain_character(chr(code))
        if len(self) < 20_000:
            self[code] = plain
        return plain


def _plain_character(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    if character.isspace():
        return "\n" if character in "\n\r\v\f\x85\u2028\u2029" else " "
    parts = (part for part in unicodedata.normalize("NFKD", character) if not _is_accent(part))
    plain = "".join(str(unicodedata.decimal(part)) if part.isdecimal() else part for part in parts)
    return unicodedata.normalize("NFC", plain).replace("ı", "i")


def _is_accent(character: str) -> bool:
    return "\u0300" <= character <= "\u036f" or "\u0591" <= character <= "\u05c7" or "\u064b" <= character <= "\u065f"


_PLAIN: Final = _Plain()


def plain(text: str) -> str:
    """The text in plain characters, so that texts that look alike become equal. The case stays."""
    return text if text.isascii() else _plain(text)


@of_texts
@lru_cache(maxsize=4)
def _plain(text: str) -> str:
    """Cached, because the comparisons of words, numbers and names use the same plain text."""
    return nfkc(text).translate(_PLAIN)


class Spoken:
    """The words of a text as written, each with the characters before it. A script without spaces has runs of
    characters instead of words."""

    def __init__(self, text: str) -> None:
        text = plain(text)
        pieces = _token_pattern(text).split(text)
        self.words, self._gaps = pieces[1::2], pieces[::2]

    def begins(self, at: int) -> bool:
        if at == 0:
            return True
        gap = self._gaps[at]
        if _SENTENCE_END.search(gap) is None:
            return False
        return not _abbreviated(self.words[at - 1], gap)


def _token_pattern(text: str) -> re.Pattern[str]:
    return _ASCII_TOKEN if text.isascii() else _TOKEN


def _abbreviated(word: str, gap: str) -> bool:
    """Whether the full stop after the word marks an abbreviation (`Dr`, `J`) and not the end of a sentence."""
    return gap.strip(" ") == "." and len(word) <= 3 and word[:1].isupper()


def phrase(text: str) -> str:
    """The words of the text with a space around each. A text contains another if its phrase contains the other's
    phrase."""
    return f" {' '.join(words(text))} "


def words(text: str) -> list[str]:
    """The words of the text in lower case and plain characters. In a script without spaces, each character is a
    word."""
    found = _spellings(text)
    return found if text.isascii() else [part for word in found for part in _parts(word)]


def _spellings(text: str) -> list[str]:
    text = plain(text)
    return [word.casefold() for word in _token_pattern(text).findall(text)]


def _parts(word: str) -> Iterable[str]:
    return word if _UNSPACED_TOKEN.match(word) else (word,)


def content(text: str) -> dict[str, int]:
    """The content of a text in any language: word prefixes and character pairs, each with a weight."""
    found: dict[str, int] = {}
    # Several words may have the same prefix. The weight of the prefix is the weight of the last of these words. A
    # repeated word is read once, at its last place.
    for word in reversed(dict.fromkeys(reversed(_spellings(text)))):
        if _UNSPACED_TOKEN.match(word):
            found |= {word[i : i + 2]: 2 for i in range(max(1, len(word) - 1))}
        elif len(word) >= 3 and not word.isdecimal():
            found[word[:5]] = min(len(word), 8)
    return found


def names(text: str) -> list[str]:
    """The probable names in a text: words with a capital letter that start no sentence. A word without letter case in a
    cased text is a probable name too, such as `美咲` in `She met 美咲`."""
    said = Spoken(text)
    german = language_of(text) == "de"
    found: dict[str, None] = {}
    certain, possible = _candidates(said.words)
    for at, word in enumerate(said.words):
        named = word in certain or (word in possible and not said.begins(at))
        if named and word not in found and not (german and _is_common(said, at)):
            found[word] = None
    return list(found)


def _is_common(said: Spoken, at: int) -> bool:
    """Whether the word is a common German noun: a counted one (`3 Hunde`), one with an article (`der Hund`) or a word
    for a time (`Woche`)."""
    counted = at > 0 and said.words[at - 1].isdecimal()
    return counted or _has_article(said, at) or is_time_noun(said.words[at].casefold(), "de")


def _has_article(said: Spoken, at: int) -> bool:
    """Whether an article or possessive is before the word, with at most an adjective between them."""
    before = [said.words[i].casefold() for i in range(max(0, at - 2), at) if i == 0 or not said.begins(i)]
    near = before[-1:] if before and not before[-1].endswith(_ADJECTIVE_ENDS) else before
    return any(is_determiner(word, "de") for word in near)


_ADJECTIVE_ENDS: Final = ("e", "en", "er", "es", "em")


def _candidates(words: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Two sets of words. Those in the first are probably names anywhere, those in the second only inside a sentence."""
    distinct = {word for word in set(words) if not _THOUSANDS.search(word)}
    certain = _foreign(words) & distinct | {word for word in distinct if any(map(str.isupper, word[1:]))}
    possible = {word for word in distinct if word[0].isupper() or _KATAKANA.match(word)}
    return certain, frozenset(possible)


def _foreign(words: Sequence[str]) -> frozenset[str]:
    """The words in scripts without letter case, such as `美咲`. Empty if they make up half of the text or more."""
    distinct = frozenset(words)
    uncased = frozenset(filter(_is_uncased, distinct))
    cased = frozenset(filter(_is_cased, distinct)) if uncased else frozenset[str]()
    longer = sum(len(word) for word in words if word in cased) > sum(len(word) for word in words if word in uncased)
    return uncased if longer else frozenset()


def _is_cased(word: str) -> bool:
    return word.lower() != word.upper()


def _is_uncased(word: str) -> bool:
    if word.isascii():
        return False
    return not (word.isdecimal() or _is_cased(word)) and any(map(str.isalpha, word))


class Words:
    """The words of several texts, for looking up names."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._phrase = " ".join(phrase(text) for text in texts)
        self._words = {
            *self._phrase.split(),
            *anyascii(self._phrase).casefold().split(),
            *re.sub(r"[0-9]+", " ", self._phrase).split(),
        }  # `pm` of `3pm`
        self._respelled = {_respelled(anyascii(w).casefold()) for w in self._phrase.split() if not w.isascii()}
        self._stems = {word[:-1] for word in self._respelled if len(word) >= _SHORTEST_STEM}
        self._alike: dict[str, list[str]] = {}
        for word in self._words:
            self._alike.setdefault(word[:4], []).append(word)

    def have(self, name: str) -> bool:
        """Whether the texts contain the name or an inflection of it."""
        if _UNSPACED_TOKEN.match(name):
            return phrase(name) in self._phrase
        folded = name.casefold()
        respelled = _respelled(folded)
        if folded in self._words or not self._respelled.isdisjoint((respelled, respelled[:-1])):
            return True
        if respelled[:-1] in self._stems:  # For example, the inflected name Варю has the stem of Varya.
            return True
        return any(_inflected(folded, word) for word in self._alike.get(folded[:4], ()))


def _respelled(roman: str) -> str:
    """The name in a uniform romanization without soft signs: `leyptsig -> leipzig`, `podol'sk -> podolsk`."""
    roman = roman.replace("'", "")
    for written, sound in _SOUNDS:
        roman = roman.replace(written, sound)
    return roman


_SOUNDS: Final = (
    ("ts", "z"), ("tz", "z"), ("ks", "x"), ("kh", "h"), ("ph", "f"), ("y", "i"), ("j", "i"), ("w", "v"), ("c", "k")
)  # fmt: skip
_SHORTEST_STEM: Final = 4
"""Minimum length of a non-Latin name that is compared without its last letter: `Nivu` matches `Niva`."""
_COMPOUNDED: Final = 6
"""Minimum letters of a word that counts as a part of a compound."""


def _inflected(name: str, word: str) -> bool:
    """Whether the two words are forms of one name. Either one is a prefix of the other, or at most their last three
    letters differ (`Warszawa`, `Warszawie`).

    In the Latin alphabet, one ending must have at most one letter, because Freiberg is not Freiburg. `a` and `o` at the
    end make names of different persons.
    """
    if (len(name) >= 4 and word.startswith(name)) or (len(word) >= _COMPOUNDED and name.startswith(word)):
        return True
    common = next((i for i, (a, b) in enumerate(zip(name, word, strict=False)) if a != b), min(len(name), len(word)))
    endings = {name[common:], word[common:]}
    if name.isascii() and (min(map(len, endings)) > 1 or endings == {"a", "o"}):
        return False
    return common >= (5 if name.isascii() else 4) and max(map(len, endings)) <= 3


def numbers(text: str) -> list[Number]:
    """The numbers as written, in any script. `1,200`, `1 200`, `1200` and `1.2k` share a reading."""
    said: list[tuple[str, str]] = _NUMBER.findall(plain(text))
    known = {each: _number(*each) for each in set(said)}
    return [known[each] for each in said]


def _number(digits: str, unit: str) -> Number:
    readings = tuple(_readings_in(digits, unit))
    return Number(digits, readings, tuple(_converted(unit, readings)) if unit in _SCALES else ())


def _converted(unit: str, readings: Iterable[frozenset[str]]) -> Iterator[frozenset[str]]:
    for scale in _SCALES[unit]:
        for one in readings:
            if len(one) == 1 and len(*one) <= _LONGEST_MEASURE:
                yield frozenset({written(round(float(*one) * scale, 6))})


_LONGEST_MEASURE: Final = 12


def _readings_in(digits: str, unit: str) -> list[frozenset[str]]:
    readings = list(_readings(digits))
    if unit in ("k", "K"):
        readings += [frozenset({_thousandfold(*reading)}) for reading in readings if len(reading) == 1]
    return readings


def _thousandfold(number: str) -> str:
    whole, _, fraction = number.partition(".")
    left = f".{fraction[3:]}" if len(fraction) > 3 else ""
    return (f"{whole}{fraction[:3]:0<3}".lstrip("0") or "0") + left


def said_numbers(text: str) -> frozenset[str]:
    """Every number that the text can mean, including numerals of other scripts (三, ½)."""
    found: set[str] = set()
    for digits, unit in set(_NUMBER.findall(plain(text))):
        found.update(*_readings_in(digits, unit))
    if text.isascii():
        return frozenset(found)
    return frozenset(found) | {written(unicodedata.numeric(c)) for c in text if c.isnumeric() and not c.isdecimal()}


def _readings(written: str) -> Iterator[frozenset[str]]:
    if written.isdecimal():
        yield frozenset({_whole(written)})
        return
    parts, separators = re.split(r"\D", written), re.findall(r"\D", written)
    if len(parts) != 2 or separators[0] not in ".,\u066b":
        yield frozenset(_whole(part) for part in parts)
    if separators and len(set(separators)) == 1 and _is_grouped(parts):
        yield frozenset({_whole("".join(parts))})
    if separators and separators[-1] in ".,\u066b" and (len(parts) == 2 or _is_grouped(parts[:-1])):
        yield frozenset({f"{_whole(''.join(parts[:-1]))}.{parts[-1].rstrip('0')}".removesuffix(".")})


def _is_grouped(parts: Sequence[str]) -> bool:
    return len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])


def _whole(digits: str) -> str:
    """The number without the leading zero of a clock time or day. 09 becomes 9, but 0044 stays."""
    return digits.lstrip("0") or "0" if len(digits) <= 2 else digits


def written(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
