"""The words for times and dates in each language, with their tags. The words are read once from `words/*.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple, TypeAlias

Tags: TypeAlias = Mapping[str, Any]
"""The tags of a word with their values, such as `{"month": 5}`. A tag that has no value in the data file gets the value
True."""

NO_TAGS: Final[Tags] = {}
LANGUAGES: Final = ("en", "de", "es", "fr", "it", "pt", "ru")
_SHARED: Final = frozenset("month weekday day unit half_of_day feast season part year_word".split())
"""English words with one of these tags are also recognized in texts of other languages."""
_LONGEST_ABBREVIATION: Final = 3
"""English words up to this length are not recognized in texts of other languages, because words such as `mon` and `mar`
have other meanings there."""
_NUMERIC: Final = frozenset(
    "month short_month weekday short_weekday weekdays day season number vague ordinal tens step noon fraction beside"
    " beside_day span_minutes".split()
)
"""The tags whose values are numbers."""
_SILENT: Final = frozenset(
    "or clause idiom same_time tense_subject forwarded street title except alternate every_count onset".split()
)
"""Words with these tags do not indicate a language, because they also exist in other languages."""
_TIME_NOUNS: Final = frozenset({"unit", "o_clock"})
_DETERMINERS: Final = frozenset({"article", "contracted", "one", "own"})


class Lexicon(NamedTuple):
    """`words` maps a lower-case word to the tags of the word. `phrases` maps the first word of a phrase to all phrases
    that begin with this word, the longest first."""

    words: Mapping[str, Tags]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language, which also contains English words. If a word exists in both languages, it has only its
    tags in the language of the text."""
    words: dict[str, dict[str, Any]] = {}
    for word, tag, value in _entries(language):
        words.setdefault(word, {}).setdefault(tag, value)
    own = frozenset(words)
    for word, tag, value in _entries("en") if language != "en" else ():
        if word not in own and tag in _SHARED and len(word) > _LONGEST_ABBREVIATION:
            words.setdefault(word, {}).setdefault(tag, value)
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for parts in sorted((tuple(word.split(" ")) for word in words if " " in word), key=len, reverse=True):
        phrases.setdefault(parts[0], []).append(parts)
    return Lexicon(words, {first: tuple(found) for first, found in phrases.items()})


@cache
def signs() -> Mapping[str, tuple[str, ...]]:
    """For each word, the languages (other than English) that it indicates."""
    found: dict[str, list[str]] = {}
    for language in LANGUAGES[1:]:
        own = {part for word, tag, _ in _entries(language) if tag not in _SILENT for part in word.split(" ")}
        for word in own | set(tables(language)["signs"].split()):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


@cache
def letters() -> Mapping[str, str]:
    """Maps a letter to the language that it usually indicates."""
    return {letter: language for language in LANGUAGES[1:] for letter in tables(language)["letters"]}


def is_determiner(word: str, language: str) -> bool:
    """Whether the word is an article or a possessive."""
    tags = lexicon(language).words.get(word, NO_TAGS)
    return not _DETERMINERS.isdisjoint(tags) or tags.get("number") == 1


def is_time_noun(word: str, language: str) -> bool:
    """Whether the word is a unit of time, or a word that follows the hour, such as `Uhr`."""
    return not _TIME_NOUNS.isdisjoint(lexicon(language).words.get(word, NO_TAGS))


@cache
def endings(language: str, tense: str) -> tuple[str, ...]:
    """Return the verb endings that indicate the tense `tense` in a language; empty if the language has no clear
    endings."""
    return tuple(tables(language).get("endings", {}).get(tense, "").split())


@cache
def strong_preterites() -> frozenset[str]:
    """The German strong preterites, in the singular and without prefixes."""
    return frozenset(tables("de")["tense"]["strong"].split())


@cache
def english() -> frozenset[str]:
    """The words that show that a text is English."""
    own = {word for word, tag, _ in _entries("en") if tag in {"month", "weekday", "day", "unit", "ordinal"}}
    return frozenset(own | set(tables("en")["signs"].split()))


@cache
def tables(language: str) -> dict[str, Any]:
    """The tables of a language's file."""
    file = resources.files("tellonce_text.dates") / "words" / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _entries(language: str) -> Iterator[tuple[str, str, Any]]:
    for table, entries in tables(language).items():
        for key, words in entries.items() if table not in {"signs", "letters", "endings"} else ():
            tag = key if table == "marks" else f"tense_{key}" if table == "tense" else table
            value = True if table in {"marks", "tense"} else int(key) if table in _NUMERIC else key
            for word in words.split():
                yield word.replace("_", " ").replace("s' ", "s ' "), tag, value
