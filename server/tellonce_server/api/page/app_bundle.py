"""Bundles the page's files into one HTML document for hosts with MCP Apps. The host connects the page to the server.

The bundler works line by line. Each import in a module must therefore be on one line and list the imported names. Each
`export` must be followed by a function or class. A test loads the result in a browser.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from mcp.server.apps import Apps, ResourceCsp

from tellonce.catalogues import LANGUAGES, Texts, in_language, texts_of
from tellonce.import_formats import TITLES
from tellonce_server.api.assistant import APP_URI


@cache
def static_files() -> Mapping[str, bytes]:
    """The page's files by their path below `/page/`, with a file for the texts of each language. Comments are a tenth
    of the bytes and are not served."""
    static = files("tellonce_server.api.page") / "static"
    texts = {f"strings/{language}.json": _json(page_texts(language)).encode() for language in LANGUAGES}
    return {entry.name: _COMMENT.sub(b"", entry.read_bytes()) for entry in static.iterdir()} | texts


_COMMENT = re.compile(rb"^ *(?:/\*(?:[^*]|\*(?!/))*\*/|//.*)\n", re.MULTILINE)
"""Matches a comment that takes up whole lines. The scripts and the style have no other comments; a test checks this."""


_IMPORT = re.compile(r'^import \{ (.+) \} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|class) (\w+)", re.MULTILINE)


def memory_app() -> Apps:
    """The extension that serves the page as an MCP App. The page can connect only to its host."""
    apps = Apps()
    apps.add_html_resource(
        APP_URI,
        bundle(),
        name="memory_page",
        title="Memory page",
        description="Shows what is known and why, and forgets it on request.",
        csp=ResourceCsp(connect_domains=[], resource_domains=[]),
    )
    return apps


@cache
def bundle() -> str:
    """The page as one HTML document, including its style, modules and texts."""
    scripts = "\n".join(_packed(name) for name in _ordered("app"))
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Tellonce</title>',
            f'<style>\n{_text("style.css")}\n</style>\n</head>\n<body>\n<div id="page"></div>',
            f'<script type="application/json" id="strings">{_strings()}</script>',
            f'<script type="module">\n{scripts}\n</script>\n</body>\n</html>\n',
        ]
    )


def _text(name: str) -> str:
    return static_files()[name].decode()


def _strings() -> str:
    """`<` is escaped, so that no text can close the script element."""
    return _json({language: page_texts(language) for language in LANGUAGES}).replace("<", "\\u003c")


def _json(texts: object) -> str:
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":"))


def _ordered(name: str, before: tuple[str, ...] = ()) -> tuple[str, ...]:
    for _, other in _IMPORT.findall(_text(f"{name}.js")):
        if other not in before:
            before = _ordered(other, before)
    return (*before, name) if name not in before else before


def _packed(name: str) -> str:
    source = _text(f"{name}.js")
    exports = ", ".join(found for _, found in _EXPORT.findall(source))
    body = _IMPORT.sub(r"const { \1 } = module_\2;", source)
    body = _EXPORT.sub(r"\1 \2", body)
    return f"const module_{name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"


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
