"""Every tool, given whatever its own schema allows and whatever it does not: an answer, or a sentence and nothing written."""

import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from tests.memory_fixtures import Memory
from tests.server.test_bad_input import MODES, VALID, call, complaint, contents, counted, opened

pytestmark = pytest.mark.anyio

__all__ = ["counted"]

SAMPLES = 30
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


def twisted(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of the right names, each with a value of its schema or with anything at all."""
    fields = {
        name: from_schema({**field, "$defs": schema.get("$defs", {})}) | ANYTHING
        for name, field in schema["properties"].items()
    }
    must = {name: fields.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(must, optional=fields)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tool", VALID)
async def test_whatever_the_arguments_a_tool_answers_or_refuses_and_a_refusal_writes_nothing(
    memory: Memory, counted: asyncpg.Connection, tool: str, mode: str
) -> None:
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, tool, mode)
        schema = {t.name: t.input_schema for t in (await client.list_tools()).tools}[tool]
        before = await contents(counted)
        for arguments in [*samples(from_schema, schema), *samples(twisted, schema)]:
            result = await call(client, tool, at_once(tool, arguments))
            after = await contents(counted)
            if result.is_error:
                fault = complaint(result) or ("wrote something" if after != before else None)
                faults += [f"{json.dumps(arguments)[:400]} {fault}"] if fault else []
            before = after
    assert not faults, "\n".join(faults)


def at_once(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {**arguments, "wait_seconds": 0} if tool == "claim_work" else arguments


def samples(
    strategy: Callable[[dict[str, Any]], st.SearchStrategy[Any]], schema: dict[str, Any]
) -> list[dict[str, Any]]:
    """Generated beforehand: hypothesis has no event loop of ours to run a call in."""
    found: list[dict[str, Any]] = []

    @settings(
        max_examples=SAMPLES, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(strategy(schema))
    def collect(value: dict[str, Any]) -> None:
        found.append(value)

    collect()
    return found
