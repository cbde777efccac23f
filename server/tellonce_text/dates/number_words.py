"""Builds the compound number words of each language from the simple number words: `einundzwanzigsten`, `vingt et un`,
`nineties`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_TENS: Final = (20, 30)
"""Compounds are built with these tens, because no month has more than 31 days."""


def compounds(language: str, numbers: Mapping[str, int]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the compound number words of a language with their tags. `numbers` are the simple number words."""
    if language == "de":
        yield from _german(numbers)
    elif language == "en":
        yield from ((f"{word[:-1]}ies", {"tens": value}) for word, value in numbers.items() if word.endswith("ty"))
    elif language in _JOINTS:
        yield from _romance(numbers, *_JOINTS[language])


_JOINTS: Final = {
    "es": (" y ", " y "),
    "pt": (" e ", " e "),
    "fr": (" et ", "-"),
    "it": ("", ""),
}
"""For each language: the letters between the word for the tens and `one`, and the letters between the word for the tens
and a larger number."""


def _romance(numbers: Mapping[str, int], to_one: str, to_more: str) -> Iterator[tuple[str, dict[str, Any]]]:
    tens = {value: word for word, value in numbers.items() if value in _TENS}
    for word, value in numbers.items():
        if not 1 <= value <= 9:
            continue
        for above, stem in tens.items():
            joint = to_one if value == 1 else to_more
            elided = stem[:-1] if not joint and word[0] in _VOWELS else stem
            yield f"{elided}{joint}{word}", {"number": above + value}
            if stem == "veinte":
                yield f"veinti{_ACCENTED.get(word, word)}", {"number": above + value}
            if not joint and word == "tre":
                yield f"{stem}tré", {"number": above + value}


_VOWELS: Final = frozenset("aeiou")
_ACCENTED: Final = {"dos": "dós", "tres": "trés", "seis": "séis"}


def _german(numbers: Mapping[str, int]) -> Iterator[tuple[str, dict[str, Any]]]:
    for word, value in numbers.items():
        if value >= 20 and word.endswith("ig"):
            yield from ((f"{word}{ending}", {"tens": value}) for ending in ("er", "ern"))
        if 13 <= value <= 19:
            yield from ((f"{word}{ending}", {"ordinal": value}) for ending in ("te", "ten", "ter"))
        for unit, ones in numbers.items() if value in _TENS else ():
            if ones == 0 or ones > 9 or unit.startswith("eine"):
                continue
            whole = f"{unit}und{word}"
            yield whole, {"number": value + ones}
            yield from ((f"{whole}{ending}", {"ordinal": value + ones}) for ending in ("ste", "sten", "ster"))
        if value in _TENS:
            yield from ((f"{word}{ending}", {"ordinal": value}) for ending in ("ste", "sten", "ster"))
