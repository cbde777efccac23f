"""MCP Inspector's command line against the real server: over stdio and HTTP, with both versions of the protocol."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.npm import run
from tests.patience import promised
from tests.server.processes import HttpServer, command, server_env

pytestmark = [pytest.mark.anyio, pytest.mark.node]

WORDS = {"legacy": ("Lisbon", "green tea", "window"), "modern": ("Oslo", "black coffee", "aisle")}
"""A town, a drink and a seat for each version. The tests of both versions share a server, and no test may find the
texts of the other test."""

RUN_SECONDS = 60


@dataclass(frozen=True)
class Inspector:
    """The Inspector for one server and one version of the protocol. `config` is a client's configuration file."""

    era: str
    bin: Path
    config: Path
    home: Path

    async def __call__(self, method: str, *more: str) -> tuple[int, Any, str]:
        """Run the Inspector. Returns its exit code, its parsed answer and its error output."""
        arguments = ["--cli", "--config", str(self.config), "--server", "memory", "--stored-auth-only"]
        arguments += ["--connect-timeout", str(round(promised(30) * 1000))]
        code, out, errors = await run(
            self.bin / "mcp-inspector",
            *(*arguments, "--method", method, "--format", "json", *more),
            env={
                "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.home),
                "MCP_INSPECTOR_SECRET_STORE": "memory",
            },
            cwd=self.home,
            seconds=RUN_SECONDS,
        )
        return code, json.loads(out) if out.strip() else None, errors

    async def answer(self, method: str, *more: str) -> Any:
        code, answer, errors = await self(method, *more)
        assert code == 0, f"{method} exited with {code}: {errors} {answer}"
        return answer.get("result", answer)

    async def call(self, tool: str, **arguments: Any) -> Any:
        return await self.answer("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))


EVERY_WAY = tuple(f"{transport} {era}" for transport in ("stdio", "http") for era in WORDS)
EACH_ONCE = ("stdio legacy", "http modern")
"""Each transport and each version is tested once. Every request of the Inspector over stdio starts a server."""
OVER_HTTP = ("http legacy", "http modern")


@pytest.fixture
async def inspector(
    request: pytest.FixtureRequest, npm_bin: Path, tmp_path: Path, dsn: str, http_process: HttpServer
) -> Inspector:
    transport, era = request.param.split()
    entry = {
        "stdio": {
            "command": command("stdio")[0],
            "args": command("stdio")[1:],
            "env": server_env(tmp_path / "io", dsn),
        },
        "http": {"type": "streamable-http", "url": http_process.url, "headers": http_process.headers()},
    }[transport]
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"memory": {**entry, "protocolEra": era}}}))
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "io").mkdir()
    return Inspector(era, npm_bin, config, home)


@pytest.mark.parametrize("inspector", EACH_ONCE, indirect=True)
async def test_inspector_finds_no_fault_in_the_schemas(inspector: Inspector) -> None:
    answer = await inspector.answer("tools/list", "--strict")
    tools = answer["tools"]
    assert len(tools) == 10
    assert all(tool["outputSchema"]["type"] == "object" for tool in tools)


@pytest.mark.parametrize("inspector", EVERY_WAY, indirect=True)
async def test_inspector_speaks_the_era_it_is_told_to(inspector: Inspector) -> None:
    hello = await inspector.answer("initialize")
    assert hello["protocolVersion"] == {"legacy": "2025-11-25", "modern": "2026-07-28"}[inspector.era]
    assert "get_context" in hello["instructions"]


@pytest.mark.parametrize("inspector", EACH_ONCE, indirect=True)
async def test_inspector_calls_the_tools(inspector: Inspector) -> None:
    town, drink, _ = WORDS[inspector.era]
    recorded = await inspector.call("record_message", role="user", content=f"I live in {town}", message_id=town)
    remembered = await inspector.call("remember", content=f"I prefer {drink}", kind="preference")
    context = await inspector.call("get_context", query="What do I drink?")
    found = await inspector.call("search_memory", query=drink, where="all")
    assert recorded["structuredContent"]["outcome"] == "created"
    assert remembered["structuredContent"]["memory"]["kind"] == "preference"
    assert f"I prefer {drink}" in context["structuredContent"]["context"]
    assert f"I live in {town}" in context["content"][0]["text"]
    assert found["structuredContent"]["results"][0]["text"] == f"I prefer {drink}"


@pytest.mark.parametrize("inspector", EACH_ONCE, indirect=True)
async def test_inspector_sees_a_refusal_as_the_tools_own_error(inspector: Inspector) -> None:
    code, answer, errors = await inspector(
        "tools/call", "--tool-name", "update_memory", "--tool-args-json", '{"memory_id":812,"action":"confirm"}'
    )
    assert code == 5
    assert "No memory 812" in json.dumps(answer) + errors


@pytest.mark.parametrize("inspector", OVER_HTTP, indirect=True)
async def test_inspector_reads_resources_and_prompts(inspector: Inspector) -> None:
    seat = WORDS[inspector.era][2]
    await inspector.call("remember", content=f"I prefer {seat} seats")
    resources = await inspector.answer("resources/list")
    templates = await inspector.answer("resources/templates/list")
    profile = await inspector.answer("resources/read", "--uri", "memory://profile")
    prompts = await inspector.answer("prompts/list")
    prompt = await inspector.answer(
        "prompts/get", "--prompt-name", "chat_with_memory", "--prompt-args", "message=Where do I live?"
    )
    assert {r["uri"] for r in resources["resources"]} == {
        "memory://profile",
        "memory://chats",
        "ui://tellonce/memory.html",
    }
    assert len(templates["resourceTemplates"]) == 4
    assert f"I prefer {seat} seats" in profile["contents"][0]["text"]
    assert {p["name"] for p in prompts["prompts"]} >= {"chat_with_memory", "learn"}
    assert "Where do I live?" in prompt["messages"][0]["content"]["text"]
