"""The words for times and dates in each language, with their tags. The words are read once from `words/*.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple, TypeAlias

from tellonce_text.dates.number_words import compounds

Tags: TypeAlias = Mapping[str, Any]
"""The tags of a word with their values, such as `{"month": 5}`. The value of a tag without a value is True."""

NO_TAGS: Final[Tags] = {}
LANGUAGES: Final = ("en", "de", "es", "fr", "it", "pt", "ru")

_SHARED: Final = frozenset("month weekday day unit half_of_day feast season part year_word".split())
"""English words with one of these tags are also recognized in texts of other languages."""

_LONGEST_ABBREVIATION: Final = 3
"""English words up to this length are not recognized in texts of other languages, because words such as `mon` and `mar`
have other meanings there."""

_NUMERIC: Final = frozenset(
    "month short_month weekday short_weekday weekdays day season number vague ordinal tens step noon fraction beside beside_day span_minutes".split(),
)


class Lexicon(NamedTuple):
    """`words` maps a lower-case word to the tags of the word. `phrases` maps the first word of a phrase to all phrases
    that begin with this word, the longest first."""

    words: Mapping[str, Tags]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language, which also contains English words."""
    words: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys((language, "en")):
        for word, tag, value in _entries(name):
            if name == "en" != language and (tag not in _SHARED or len(word) <= _LONGEST_ABBREVIATION):
                continue
            words.setdefault(word, {}).setdefault(tag, value)
    for word, tags in compounds(language, {w: tags["number"] for w, tags in words.items() if "number" in tags}):
        words.setdefault(word, {}).update(tags)
    for word in _hidden(language):
        words[word] = {tag: value for tag, value in words[word].items() if (word, tag) in _own(language)}
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for parts in (tuple(word.split(" ")) for word in words if " " in word):
        phrases.setdefault(parts[0], []).append(parts)
    longest = {first: tuple(sorted(found, key=len, reverse=True)) for first, found in phrases.items()}
    return Lexicon(words, longest)


_SILENT: Final = frozenset({"or", "clause", "idiom", "same_time", "tense_subject", "forwarded", "street", "title"})
"""Words with these tags do not indicate a language, because they also exist in other languages."""


@cache
def signs() -> Mapping[str, tuple[str, ...]]:
    """For each word, the languages (other than English) that it indicates."""
    found: dict[str, list[str]] = {}
    for language in LANGUAGES[1:]:
        own = {part for word, tag, _ in _entries(language) if tag not in _SILENT for part in word.split(" ")}
        own.update(_read(language)["signs"].split())
        for word in own:
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


def is_determiner(word: str, language: str) -> bool:
    """Whether the word is an article or a possessive."""
    tags = lexicon(language).words.get(word, NO_TAGS)
    return not _DETERMINERS.isdisjoint(tags) or tags.get("number") == 1


def is_time_noun(word: str, language: str) -> bool:
    """Whether the word is a unit of time, or a word that follows the hour, such as `Uhr`."""
    return not _TIME_NOUNS.isdisjoint(lexicon(language).words.get(word, NO_TAGS))


_TIME_NOUNS: Final = frozenset({"unit", "o_clock"})
_DETERMINERS: Final = frozenset({"article", "contracted", "one", "own"})


@cache
def endings(language: str, tense: str) -> tuple[str, ...]:
    """Return the verb endings that indicate the tense `tense` in a language; empty if the language has no clear
    endings."""
    return tuple(_read(language).get("endings", {}).get(tense, "").split())


@cache
def strong_preterites() -> frozenset[str]:
    """The German strong preterites, in the singular and without prefixes."""
    return frozenset(_read("de")["tense"]["strong"].split())


@cache
def english() -> frozenset[str]:
    """The words that show that a text is English."""
    own = {word for word, tag, _ in _entries("en") if tag in {"month", "weekday", "day", "unit", "ordinal"}}
    return frozenset(own | set(_read("en")["signs"].split()))


@cache
def _own(language: str) -> frozenset[tuple[str, str]]:
    return frozenset((word, tag) for word, tag, _ in _entries(language))


def _hidden(language: str) -> frozenset[str]:
    """Words that exist both in English and in the language. In a text of the language, their English meaning is
    ignored."""
    if language == "en":
        return frozenset()
    return frozenset(word for word, _ in _own(language)) & frozenset(word for word, _ in _own("en"))


@cache
def _read(language: str) -> dict[str, Any]:
    file = resources.files("tellonce_text.dates") / "words" / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _entries(language: str) -> Iterator[tuple[str, str, Any]]:
    for table, entries in _read(language).items():
        if table in {"signs", "endings"}:
            continue
        for key, words in entries.items():
            for word in words.split():
                yield word.replace("_", " ").replace("s' ", "s ' "), *_tag(table, key)


def _tag(table: str, key: str) -> tuple[str, Any]:
    if table == "marks":
        return key, True
    if table == "tense":
        return f"tense_{key}", True
    return table, int(key) if table in _NUMERIC else key
