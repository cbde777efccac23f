"""Every tool is called with arguments that its schema allows or forbids. The tool answers the call, or it refuses the
call with a sentence. A refused call writes nothing."""

import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.depth import depth
from tests.memory_fixtures import Memory
from tests.server.test_bad_input import VALID, call, complaint, contents, counted, in_modes, opened

pytestmark = pytest.mark.anyio

__all__ = ["counted"]

SAMPLES = depth(12, 25)
ODD = st.sampled_from(
    [
        "\x00",
        "\ud800",
        "",
        " ",
        "42:42:1",
        "r0",
        "2026-02-16T10:00:00Z",
        "⟦memory⟧",
        "' or 1=1 --",
        "@o43",
        "!tea & (x",
        "%s",
    ]
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


STRINGS = st.text(max_size=30) | ODD | st.sampled_from(["42", "telegram", "2026-02-16T10:00:00+08:00"])
SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "string": STRINGS,
    "boolean": st.booleans(),
    "null": st.none(),
}


def of_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema allows. The tool may refuse them for reasons that a schema cannot express."""
    if "anyOf" in schema:
        return st.one_of([of_schema(option) for option in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "integer":
            return st.integers(schema.get("minimum", -(2**63)), schema.get("maximum", 2**63))
        case "number":
            return st.floats(schema.get("minimum", -1e9), schema.get("maximum", 1e9))
        case "array":
            return st.lists(of_schema(schema.get("items", {})), max_size=3)
        case "object":
            return arguments(schema, of_schema)
        case kind:
            return SIMPLE.get(str(kind), ANYTHING)


def of_schema_or_not(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    return of_schema(schema) | ANYTHING


def arguments(
    schema: dict[str, Any], values: Callable[[dict[str, Any]], st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments with valid names. Required arguments are always included, others sometimes."""
    fields = {name: values(field) for name, field in schema.get("properties", {}).items()}
    must = {name: fields.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(must, optional=fields)


@pytest.mark.parametrize(("tool", "mode"), in_modes(VALID))
async def test_whatever_the_arguments_a_tool_answers_or_refuses_and_a_refusal_writes_nothing(
    memory: Memory, counted: asyncpg.Connection, tool: str, mode: str
) -> None:
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, tool, mode)
        schema = {t.name: t.input_schema for t in (await client.list_tools()).tools}[tool]
        receipts = (await memory.storage.services()).receipts
        before = await contents(counted)
        for sample in [*samples(schema, of_schema), *samples(schema, of_schema_or_not)]:
            result = await call(client, tool, at_once(tool, sample))
            await receipts.written()
            after = await contents(counted)
            if result.is_error:
                fault = complaint(result) or ("wrote something" if after != before else None)
                faults += [f"{json.dumps(sample)[:400]} {fault}"] if fault else []
            before = after
    assert not faults, "\n".join(faults)


def at_once(tool: str, sample: dict[str, Any]) -> dict[str, Any]:
    return {**sample, "wait_seconds": 0} if tool == "claim_work" else sample


def samples(schema: dict[str, Any], values: Callable[[dict[str, Any]], st.SearchStrategy[Any]]) -> list[dict[str, Any]]:
    """Generate the examples in advance. The calls run in our event loop, and hypothesis cannot use this loop."""
    found: list[dict[str, Any]] = []

    @settings(
        max_examples=SAMPLES, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(arguments(schema, values))
    def collect(value: dict[str, Any]) -> None:
        found.append(value)

    collect()
    return found
