"""The real Claude Code connects to the real server, and its model sees the tools' complete answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.claude import Claude
from tests.memory_fixtures import rows
from tests.server.processes import HttpServer, command, server_env
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Reply, Say, UseTool
from tests.stubs.stub import Asked

pytestmark = [pytest.mark.anyio, pytest.mark.node]

QUESTION = "What do I drink in the morning?"
CALLS = (
    UseTool("mcp__memory__get_context", {"query": QUESTION}),
    UseTool("mcp__memory__remember", {"content": "I drink green tea every morning"}),
    UseTool("mcp__memory__search_memory", {"query": "green tea"}),
    UseTool("mcp__memory__remember", {"content": "I like tea", "chat_id": 43}),
)


@pytest.fixture(params=["stdio", "http"])
def entry(request: pytest.FixtureRequest, tmp_path: Path, dsn: str, http_process: HttpServer) -> dict[str, Any]:
    """The server's entry in a client's configuration file."""
    if request.param == "http":
        return {"type": "http", "url": http_process.url, "headers": http_process.headers()}
    program, *arguments = command("stdio")
    return {"type": "stdio", "command": program, "args": arguments, "env": server_env(tmp_path / "io", dsn)}


@pytest.fixture
def database(entry: dict[str, Any], dsn: str, http_process: HttpServer) -> str:
    """The database of the server in `entry`."""
    assert http_process.dsn is not None
    return http_process.dsn if entry["type"] == "http" else dsn


async def test_claude_code_connects(claude: Claude, entry: dict[str, Any]) -> None:
    await claude("mcp", "add", *_added(entry))
    listed = await claude("mcp", "list")
    assert "memory" in listed
    assert "✔ Connected" in listed


def _added(entry: dict[str, Any]) -> list[str]:
    if entry["type"] == "http":
        bearer = f"Authorization: {entry['headers']['Authorization']}"
        return ["--transport", "http", "memory", entry["url"], "--header", bearer]
    variables = [part for name, value in entry["env"].items() for part in ("-e", f"{name}={value}")]
    return ["memory", *variables, "--", entry["command"], *entry["args"]]


async def test_claude_codes_model_sees_instructions_daily_tools_whole_answers_and_refusals_to_act_on(
    claude: Claude, entry: dict[str, Any], tmp_path: Path, database: str
) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"memory": entry}}))
    async with AnthropicStub(scripted(CALLS, Say("You drink green tea."))) as stub:
        printed = await claude(
            *("-p", QUESTION, "--mcp-config", str(config), "--strict-mcp-config", "--output-format", "json"),
            *("--allowedTools", "mcp__memory__get_context,mcp__memory__remember,mcp__memory__search_memory"),
            ANTHROPIC_BASE_URL=stub.url,
            ANTHROPIC_API_KEY="dummy",
        )
    assert json.loads(printed)["result"] == "You drink green tea."
    first = talks(stub.asked)[0]
    tools = {tool["name"]: tool for tool in first.body["tools"]}
    for name in ("get_context", "record_message", "search_memory", "remember"):
        assert tools[f"mcp__memory__{name}"]["input_schema"]["additionalProperties"] is False
    assert "mcp__memory__forget" not in tools, "only the daily tools cost tokens in every request"
    assert "preview first, then call again with the confirm token" in json.dumps(first.body)
    *answers, refusal = tool_results(stub.asked)
    assert refusal["is_error"]
    assert "Leave chat_id out to use your own chat." in json.dumps(refusal["content"])
    assert not [answer for answer in answers if answer.get("is_error")], answers
    context, remembered, found = (json.loads(_text(answer["content"])) for answer in answers)
    assert {"context", "tokens", "coverage", "receipt_id", "thread_key", "notices"} <= set(context)
    assert remembered["outcome"] == "stored"
    assert remembered["memory"]["content"] == "I drink green tea every morning"
    assert [r["text"] for r in found["results"]] == ["I drink green tea every morning"]
    assert found["results"][0]["id"] == remembered["memory"]["id"]
    assert await stored(database) == [("I drink green tea every morning", 42)]


def scripted(calls: tuple[UseTool, ...], last: Reply) -> Callable[[Asked], Reply]:
    """A script that chooses the next tool call by the number of results in the request. If a request is repeated, it
    gets the same answer again."""

    def reply(asked: Asked) -> Reply:
        done = len(tool_results([asked]))
        return calls[done] if done < len(calls) and asked.body.get("tools") else last

    return reply


def talks(asked: list[Asked]) -> list[Asked]:
    """The requests of the conversation itself. Only requests of the conversation have tools; requests that count tokens
    are left out."""
    return [a for a in asked if a.path == "/v1/messages" and a.body.get("tools")]


def tool_results(asked: list[Asked]) -> list[dict[str, Any]]:
    """The tool results in the last request, in order."""
    if not talks(asked):
        return []
    blocks = [block for m in talks(asked)[-1].messages if isinstance(m["content"], list) for block in m["content"]]
    return [block for block in blocks if block.get("type") == "tool_result"]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


async def stored(dsn: str) -> list[tuple[str, int]]:
    return [tuple(row) for row in await rows(dsn, "select content, owner_id from memories order by id")]
