"""The reference shows real answers of the server, and its example programs work."""

import json
import os
import re
from typing import Any

import pytest
from mcp.types import TextContent

from docs.examples import first_call, forget_with_preview, one_turn
from docs.tools_reference import EXAMPLES
from tellonce.contract import RememberArgs
from tests.memory_fixtures import Memory

pytestmark = pytest.mark.anyio

RANDOM = ((re.compile(r"\bre?[0-9a-f]{15,}\b"), "r0123456789abcdef"), (re.compile(r"(?<=confirm=)\S+"), "TOKEN"))


async def test_every_tool_answers_as_its_example_says(memory: Memory) -> None:
    """To record the examples again, set TELLONCE_TEST_RECORD=1. `python -m docs.generate` then updates the
    reference."""
    shown: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text())
    found = await answered(memory, shown)
    if os.environ.get("TELLONCE_TEST_RECORD"):
        EXAMPLES.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
        return
    assert found == shown


async def answered(memory: Memory, examples: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The examples, with the answers of this server instead of the recorded answers."""
    found: dict[str, dict[str, Any]] = {}
    async with memory.client() as client:

        async def call(tool: str, arguments: dict[str, Any]) -> str:
            blocks = (await client.mcp.call_tool(tool, arguments)).content
            text = "\n".join(block.text for block in blocks if isinstance(block, TextContent))
            for pattern, name in RANDOM:
                text = pattern.sub(name, text)
            return text

        for tool, example in examples.items():
            found[tool] = {"arguments": example["arguments"], "text": await call(tool, example["arguments"])}
            errors = [one["arguments"] for one in example.get("errors", [])]
            if errors:
                found[tool]["errors"] = [{"arguments": wrong, "text": await call(tool, wrong)} for wrong in errors]
    return found


async def test_the_program_that_forgets_says_what_goes_and_what_stays(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    async with memory.client() as client:
        for content in ("I am allergic to walnuts", "I sell walnut furniture"):
            await client.remember(RememberArgs(content=content))
        assert await forget_with_preview.forget(client, "walnut") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["keep:  I am allergic to walnuts", "erase: I sell walnut furniture"]
    assert told[-1] == "kept:  I am allergic to walnuts"


async def test_the_programs_of_the_reference_run(memory: Memory) -> None:
    asked: list[str] = []

    async def model(prompt: str) -> str:
        asked.append(prompt)
        return "You take it without sugar."

    async with memory.client() as client:
        assert await first_call.use(client) == ["I take my coffee without sugar"]
        answer = await one_turn.turn(client, "kitchen", "1", "How do I take my coffee?", model)
        assert answer == "You take it without sugar."
        assert "I take my coffee without sugar" in asked[0]
        assert await forget_with_preview.forget(client, "coffee") == 0
        assert await forget_with_preview.forget(client, "coffee") is None
