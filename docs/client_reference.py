"""Generates the reference of the Python client from its signatures and from example programs that a test runs."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tellonce import client, connect

EXAMPLES = Path(__file__).parent / "examples"
SHOWN = ("first_call", "one_turn", "forget_with_preview")
INTRO = """\
# Python client

If your program uses a memory on another machine, the distribution `tellonce-light` is enough: run `pip install ./light`
in a clone of the repository.

The client is asynchronous and typed: one coroutine for each tool. The models of its arguments and results are in
`tellonce.contract`; those for reminders are in `tellonce.reminders`, and those for summarizers in `tellonce.work`.
[MCP tools](tools.md) describes the fields of the models in `tellonce.contract`. The argument `except` is called
`except_` in Python. An access token allows the tools of its scope: `assistant`, `relay` (the assistant's tools and
reminders) or `agent` (only the summarizer's work)."""


def text() -> str:
    return "\n\n".join([INTRO, *_connections(), *_client(), *_errors(), *_programs()]) + "\n"


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


def _programs() -> Iterator[str]:
    yield "## Programs"
    for name in SHOWN:
        yield f"```python\n{(EXAMPLES / f'{name}.py').read_text()}```"


def _signature(function: Callable[..., Any]) -> str:
    inner = inspect.unwrap(function)
    said = str(inspect.signature(inner)).replace("(self, ", "(").replace("(self)", "()")
    for prefix in (
        "tellonce.contract.",
        "tellonce.forget_contract.",
        "tellonce.reminders.",
        "tellonce.work.",
        "tellonce.turn_contract.",
        "tellonce.client.",
        "collections.abc.",
    ):
        said = said.replace(prefix, "")
    return f"{'async ' * inspect.iscoroutinefunction(inner)}def {inner.__name__}{said}"
