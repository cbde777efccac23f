"""Generates the reference of the settings from their definitions."""

from collections.abc import Container, Iterator, Mapping
from inspect import getdoc
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.settings import ServerSettings, variable

INTRO = """\
# Settings

Settings are read from the environment, or from `.env` in the folder where a program is started; the environment has
priority. No setting is required. A stdio server, which a client starts in the folder of any project, reads the environment only;
`tellonce connect` writes your settings there.
Lists are separated by commas or blanks; `1` is on, `0` is off."""
DATA_FOLDER = "`~/.local/share/tellonce`; macOS: `~/Library/Application Support/tellonce`"

Fields = Mapping[str, FieldInfo]
"""For some variables, the text that the page prints instead of the computed default value."""


def text() -> str:
    return "\n\n".join([INTRO, *(part for title, fields in _sections() for part in _section(title, fields))]) + "\n"


def _sections() -> Iterator[tuple[str, Fields]]:
    """The sections of the page. The first section has the variables that several processes share. Each other section
    has the remaining variables of one process."""
    server, summarizer, relay = (_fields(kind) for kind in (ServerSettings, SummarizerSettings, RelaySettings))
    shared = {name: field for name, field in relay.items() if name in server or name in summarizer}
    yield "Several processes", shared
    yield "Relay and terminal chat", _without(relay, shared)
    yield "Summarizer", _without(summarizer, shared)
    yield "Server", _without(server, shared)


def _fields(kind: type[BaseModel], prefix: str = "") -> Fields:
    return {prefix + variable(name, field): field for name, field in kind.model_fields.items()}


def _without(fields: Fields, known: Container[str]) -> Fields:
    return {name: field for name, field in fields.items() if name not in known}


def _section(title: str, fields: Fields) -> Iterator[str]:
    groups = {name: type(field.default) for name, field in fields.items() if isinstance(field.default, BaseModel)}
    yield _table(f"## {title}", _without(fields, groups))
    for name, group in groups.items():
        title = name.partition("_")[2].capitalize()
        yield _table(f"### {title}\n\n{getdoc(group)}", _fields(group, f"{name}__"))


def _table(head: str, fields: Fields) -> str:
    rows = [
        f"| `{name}` | {_default(field)} | {field.description}{_choices(field)} |" for name, field in fields.items()
    ]
    return "\n".join([head, "", "| variable | default | meaning |", "|---|---|---|", *rows])


def _choices(field: FieldInfo) -> str:
    if get_origin(field.annotation) is not Literal:
        return ""
    return " One of " + ", ".join(f"`{choice}`" for choice in get_args(field.annotation)) + "."


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return DATA_FOLDER
    value: Any = field.default
    if isinstance(value, bool):
        return f"`{value:d}`"
    return "–" if value in (None, "", ()) else f"`{value}`"
