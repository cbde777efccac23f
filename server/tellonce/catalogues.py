"""Reads catalogues of texts for people. A catalogue is a TOML file with each text in all languages.

A text is a table, such as `[reminder.set]`, with one entry for each language. The entry is a text, a list of words or a
table of plural forms.
"""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

Texts = Mapping[str, Mapping[str, Any]]
"""Maps the key of each text to the text's entries by language."""

LANGUAGES: Final = ("en", "de", "es", "ru", "ja")
"""The languages that a catalogue may contain."""

_SHARED: Final = files("tellonce") / "shared_texts.toml"


def texts_of(own: Traversable) -> Texts:
    """The shared texts, and the texts of a program's own catalogue, which replace shared ones. Raises ValueError for an
    entry whose language is not in `LANGUAGES`."""
    shared, found = (dict(_texts(tomllib.loads(file.read_text(encoding="utf-8")))) for file in (_SHARED, own))
    return shared | found


def in_language(texts: Texts, language: str) -> dict[str, Any]:
    """For each text, its entry in the language. The English entry replaces a missing one. A text with neither is left
    out."""
    found = {key: entries.get(language, entries.get("en")) for key, entries in texts.items()}
    return {key: entry for key, entry in found.items() if entry is not None}


def _texts(tables: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The table of a text may also contain other texts: `[today]` and `[today.nobody]`."""
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ValueError(f"{above}{name} is not a language or a text")
        entries = {language: table[language] for language in LANGUAGES if language in table}
        if entries:
            yield f"{above}{name}", entries
        yield from _texts({inner: table[inner] for inner in table if inner not in LANGUAGES}, f"{above}{name}.")
