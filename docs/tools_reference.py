"""Generates the reference of the MCP interface from the server: tools with examples, resources and prompts."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mcp.types import PromptArgument, ToolAnnotations

from docs.schema_words import Schema, cell, referenced, rows, table
from tellonce.settings import ServerSettings
from tellonce_server.api.assistant import AssistantTools
from tellonce_server.api.page.app_bundle import page_texts
from tellonce_server.api.spec import ToolSpec, specs_of
from tellonce_server.app.server import build_server
from tellonce_server.app.storage import Storage
from tellonce_server.domain.erasure.text_places import COUNTED

EXAMPLES = Path(__file__).parent / "examples" / "tools.json"
INTRO = """\
# MCP tools, resources and prompts

This page lists everything that an assistant sees. [The contract](../CONTRACT.md) describes the behavior behind it; [the
Python client](python.md) calls the same tools as coroutines.

Every tool returns structured content (the fields under "Result") and the same content as text. An argument is required
unless it has a default or is "optional"; an explicit null counts as absent. If a call cannot be done, the result is a
tool error (`isError`) whose text says what to change, and nothing is written. If the error's `_meta` contains
`tellonce/later`, the same call may succeed later. A program that reads only structured content can set `tellonce/data` to
true in the `_meta` of its request; the result then has no text.

`chat_id`, `conversation_id`, `message_thread_id` and `reply_to_message_id` name the chat and thread of a call. A client
that names none of them gets a separate chat. The user is always the owner of the credential. Every tool accepts all
four arguments, but the list that a model reads leaves out those that a tool seldom needs.

The examples below are one conversation: a test calls them in this order on a real server with an external PostgreSQL,
and compares the answers. To call a tool by hand, use [MCP Inspector](../clients/README.md#mcp-inspector)."""
COUNTS = """\
### Counts of `forget`

The keys of `would_erase` and `erased`, and of `others` in a match. A key that is missing counts as 0. In `would_erase`,
`messages` are those that lose at least one sentence."""
RESOURCES = """\
## Resources

Changes of a resource are announced to the clients that subscribe to it. To subscribe, a client needs protocol 2026-07-28
(`subscriptions/listen`); in answer to an older client's `initialize`, `resources.subscribe` is false."""


def text() -> str:
    examples: Schema = json.loads(EXAMPLES.read_text())
    listed = [spec for spec in specs_of(AssistantTools(_never)) if spec.listed]
    tools = sorted(listed, key=lambda spec: list(examples).index(spec.name))
    parts = [part for spec in tools for part in _tool(spec, examples[spec.name])]
    return "\n\n".join([INTRO, *parts, *_objects(tools), _counts(), *asyncio.run(_others())]) + "\n"


async def _never() -> Any:
    raise AssertionError("no tool is called")


def _tool(spec: ToolSpec, example: Schema) -> Iterator[str]:
    yield f"## `{spec.name}`\n\n{spec.description}\n\n{_effect(spec.annotations)}"
    yield "**Arguments**\n\n" + table(spec.args, arguments=True)
    yield "**Result**\n\n" + table(spec.result, arguments=False)
    yield f"**Example**\n\n```json\n{json.dumps(example['arguments'], ensure_ascii=False, indent=2)}\n```"
    yield f"answers with the text\n\n```text\n{example['text']}\n```"
    if example.get("errors"):
        errors = [f"| `{json.dumps(one['arguments'])}` | {cell(one['text'])} |" for one in example["errors"]]
        yield "\n".join(["**Errors**", "", "| called with | the answer |", "|---|---|", *errors])


def _effect(annotations: ToolAnnotations) -> str:
    if annotations.read_only_hint:
        return "Reads only."
    changes = "Erases." if annotations.destructive_hint else "Adds or changes; erases nothing."
    return changes + (" The same call twice has the effect of one." if annotations.idempotent_hint else "")


def _objects(tools: list[ToolSpec]) -> Iterator[str]:
    """The objects in arguments and results. Each object is listed once."""
    shown: set[str] = set()
    yield "## Objects"
    for kind, mode in [(spec.args, True) for spec in tools] + [(spec.result, False) for spec in tools]:
        schema = kind.model_json_schema(mode="validation" if mode else "serialization")
        defs = schema.get("$defs", {})
        for name in referenced(schema, defs):
            if name not in shown:
                shown.add(name)
                said = defs[name].get("description", "")
                yield f"### {name}\n\n" + (f"{said}\n\n" if said else "") + rows(defs[name], defs, arguments=mode)


def _counts() -> str:
    """The keys of the counts of `forget`, each with its meaning."""
    counted = [f"| `{name}` | {page_texts('en')[f'table.{name}']} |" for name in sorted(COUNTED)]
    return "\n".join([COUNTS, "", "| key | what is counted |", "|---|---|", *counted])


async def _others() -> list[str]:
    settings = ServerSettings.model_construct(timezone="UTC")
    server = build_server(settings, Storage(settings), auth=False)
    fixed = [(str(one.uri), one.mime_type, one.description) for one in await server.list_resources()]
    shaped = [(one.uri_template, one.mime_type, one.description) for one in await server.list_resource_templates()]
    resources = [f"| `{uri}` | `{kind}` | {said or ''} |" for uri, kind, said in sorted([*fixed, *shaped])]
    prompts = [
        f"| `{one.name}` | {_given(one.arguments or [])} | {one.description} |" for one in await server.list_prompts()
    ]
    return [
        RESOURCES,
        "\n".join(["| URI | type | what it holds |", "|---|---|---|", *resources]),
        "## Prompts",
        "\n".join(["| prompt | arguments | what it does |", "|---|---|---|", *prompts]),
    ]


def _given(arguments: Sequence[PromptArgument]) -> str:
    return ", ".join(f"`{one.name}`{'' if one.required else ' (optional)'}" for one in arguments) or "–"
