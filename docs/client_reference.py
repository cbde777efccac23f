"""Generates the reference of the Python client from its signatures and from example programs that a test runs."""

import inspect
import re
from collections.abc import Callable, Iterator, Set
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from docs.schema_words import cell, referenced, table
from tellonce import client, connect, reminders, work
from tellonce.catalogues import in_language, texts_of

EXAMPLES = Path(__file__).parent / "examples"
SHOWN = ("first_call", "one_turn", "forget_with_preview")
INTRO = """\
# Python client

The client is part of Tellonce. On a machine with a clone, run your program with the clone's Python, `.venv/bin/python`, or install the
client in your program's own environment: `pip install ./light` in the clone. That installs `tellonce-light`, which is enough for a memory on
this or another machine. The programs [below](#programs) are in [`docs/examples`](../examples).

The client is asynchronous and typed: one coroutine for each tool. The models of its arguments and results are in
`tellonce.contract`; those for reminders are in `tellonce.reminders`, and those for summarizers in `tellonce.work`.
[MCP tools](tools.md) describes the fields of the models in `tellonce.contract`; the others are [below](#telloncereminders).
The argument `except` is called `except_` in Python. An access token allows the tools of its scope: `assistant`, `relay` (the assistant's tools and
reminders) or `agent` (only the summarizer's work)."""


CODES = """\
`MemoryRefused.text.code` and the `code` of each of a result's `notes` and `notices` are one of these codes, or None if
the text has no code. The values in braces are in `values`. The English text of a code is for people; the text of the
error itself is for models, and may name more."""


def text() -> str:
    return (
        "\n\n".join([INTRO, *_connections(), *_client(), *_errors(), *_programs(), *_models(reminders), *_models(work)])
        + "\n"
    )


def _connections() -> Iterator[str]:
    yield "## Connect"
    for function in (connect.connect_http, connect.connect_stdio):
        yield f"### `{function.__name__}`\n\n```python\n{_signature(function)}\n```\n\n{inspect.getdoc(function)}"


def _client() -> Iterator[str]:
    tools = [tool for tool in vars(client.MemoryClient).values() if isinstance(tool, client.Tool)]
    methods = [f"async def {tool.name}(args: {tool.args.__name__}) -> {tool.result.__name__}" for tool in tools]
    methods.append(_signature(client.MemoryClient.queue_status))
    yield f"## `MemoryClient`\n\n{inspect.getdoc(client.MemoryClient)}"
    yield "```python\n" + "\n".join(methods) + "\n```"


def _errors() -> Iterator[str]:
    kinds = (client.MemoryRefused, client.MemoryUnreachable)
    rows = [f"| `{kind.__name__}` | {' '.join((inspect.getdoc(kind) or '').split())} |" for kind in kinds]
    yield "\n".join(["## Errors", "", "| exception | meaning |", "|---|---|", *rows])
    yield (
        "The models of the arguments check their values before anything is sent, and raise pydantic's `ValidationError`, "
        "for example for a text of more than 64 KiB."
    )
    yield "\n".join([CODES, "", "| code | text in English |", "|---|---|", *_codes()])


def _codes() -> Iterator[str]:
    """The rows of a table that lists the codes of the server's texts."""
    texts = in_language(texts_of(files("tellonce") / "shared_texts.toml"), "en")
    said = {key.removeprefix("server."): text for key, text in texts.items() if key.startswith("server.")}
    yield from (f"| `{code}` | {cell(str(said[code]))} |" for code in sorted(said))


def _programs() -> Iterator[str]:
    yield "## Programs"
    for name in SHOWN:
        yield f"```python\n{(EXAMPLES / f'{name}.py').read_text()}```"


def _models(module: ModuleType) -> Iterator[str]:
    """The fields of the models that a module defines. Other models are linked to the reference of the tools."""
    kinds = {name: kind for name, kind in vars(module).items() if inspect.isclass(kind) and not name.startswith("_")}
    defined = {
        name: kind for name, kind in kinds.items() if issubclass(kind, BaseModel) and kind.__module__ == module.__name__
    }
    sent = {name for name in defined if name.endswith("Args")}
    for kind in [defined[name] for name in sent]:
        schema = kind.model_json_schema()
        sent |= set(referenced(schema, schema.get("$defs", {})))
    yield f"## `{module.__name__}`"
    for name, kind in defined.items():
        said = inspect.cleandoc(kind.__doc__) if kind.__doc__ else ""
        fields = re.sub(
            r"\(#(\w+)\)", partial(_link, {key.lower() for key in defined}), table(kind, arguments=name in sent)
        )
        yield "\n\n".join(part for part in (f"### {name}", said, fields) if part)


def _link(here: Set[str], found: re.Match[str]) -> str:
    return found[0] if found[1] in here else f"(tools.md#{found[1]})"


def _signature(function: Callable[..., Any]) -> str:
    inner = inspect.unwrap(function)
    said = str(inspect.signature(inner)).replace("(self, ", "(").replace("(self)", "()")
    said = re.sub(r"\b(?:tellonce\.\w+|collections\.abc)\.", "", said)
    return f"{'async ' * inspect.iscoroutinefunction(inner)}def {inner.__name__}{said}"
