"""The page's texts in each language, from `page_texts.toml` and the texts that all programs share."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tellonce.catalogues import Texts, in_language, texts_of
from tellonce.import_formats import TITLES

FILE: Final = files("tellonce_server.api.page") / "page_texts.toml"


@cache
def page_texts(language: str) -> Mapping[str, str]:
    """The page's texts in a language. Each plural form has its own key, such as `memories.count.one`."""
    entries = in_language(_texts(), language)
    comma, last = entries["list.comma"], entries["list.or"]
    titles = list(TITLES.values())
    formats = comma.join(titles[:-1]) + last + titles[-1]
    return {key: text.replace("{formats}", formats) for key, text in _forms(entries)}


@cache
def _texts() -> Texts:
    return texts_of(FILE)


def _forms(entries: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, entry in entries.items():
        if isinstance(entry, str):
            yield key, entry
        else:
            yield from ((f"{key}.{form}", text) for form, text in entry.items())
