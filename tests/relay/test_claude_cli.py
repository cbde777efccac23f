"""Claude Code as the responder: first with a substitute for its command, then with the real command."""

import base64
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce.connect import connect_http
from tellonce_llm.model import Answer, File
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.claude_cli import ClaudeCli, MemoryAccess
from tellonce_relay.responders.prompt import Prompt, build
from tellonce_relay.responders.responder import CannotAnswer
from tests.conformance.conftest import npm_bin  # noqa: F401
from tests.contexts import of_sections
from tests.patience import HANGS
from tests.server.processes import HttpServer, http_server
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Fail, Reply, Say, UseTool
from tests.stubs.stub import Asked, always
from tests.stubs.telegram_emulator.people import PIXEL

pytestmark = pytest.mark.anyio

PDF = File(
    "pdf",
    "application/pdf",
    "a.pdf",
    b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
)

ACCESS = MemoryAccess("http://127.0.0.1:1/mcp", "a-token", 42)

STAND_IN = """#!{python}
import json, os, pathlib, sys, time

def say(**event):
    print(json.dumps(event), flush=True)

def piece(text):
    say(type="stream_event", event={{"type": "content_block_delta", "delta": {{"type": "text_delta", "text": text}}}})

arguments = sys.argv[1:]
message = sys.stdin.read()
config = pathlib.Path(arguments[arguments.index("--mcp-config") + 1])
system = pathlib.Path(arguments[arguments.index("--system-prompt-file") + 1])
seen = dict(arguments=arguments, message=message, environment=dict(os.environ), config=json.loads(config.read_text()),
            system=system.read_text(), mode=oct(config.parent.stat().st_mode))
pathlib.Path({seen!r}).write_text(json.dumps(seen))
print("not json")
say(type="system", subtype="init")
match message.split("] ")[-1]:
    case "fail":
        sys.stderr.write("no credit"), sys.exit(1)
    case "refuse":
        say(type="result", is_error=True, result="Invalid API key")
    case "hang":
        time.sleep(60)
    case "at once":
        say(type="result", is_error=False, result="All at once", usage={{}})
    case _:
        piece("You drink "), piece("tea.")
        say(type="result", is_error=False, result="tea.", total_cost_usd=0.01, usage=dict(input_tokens=5, output_tokens=2))
        time.sleep(60)
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    file = tmp_path / "claude"
    file.write_text(STAND_IN.format(python=sys.executable, seen=str(tmp_path / "seen.json")))
    file.chmod(0o755)
    return file


def prompt(message: str, *files: File) -> Prompt:
    known = "USER PROFILE\nLikes tea"
    profile = c.Section(name="profile", title="USER PROFILE", text=known, tokens=3, stability="stable")
    zone, now = ZoneInfo("Asia/Singapore"), datetime(2026, 2, 16, 1, 15, tzinfo=UTC)
    return build(of_sections(profile), message, policy="", user_name="Priya", now=now, zone=zone, files=files)


def incoming(message: str, chat_id: int = 42) -> Incoming:
    return Incoming(message, chat_id, "1", datetime(2026, 2, 16, 1, 15, tzinfo=UTC), "telegram")


async def answer(command: Path, message: str, *, chat_id: int = 42, seconds: float = HANGS) -> tuple[list[str], Answer]:
    pieces: list[str | Answer] = []
    responder = ClaudeCli(str(command), seconds, ACCESS)
    async for piece in responder.answer(prompt(message), incoming(message, chat_id), None):
        pieces.append(piece)
    *texts, used = pieces
    assert isinstance(used, Answer)
    return [str(text) for text in texts], used


def seen(stand_in: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((stand_in.parent / "seen.json").read_text())
    return found


async def test_the_answer_streams_and_what_it_cost_is_known(stand_in: Path) -> None:
    texts, used = await answer(stand_in, "What do I drink?")
    assert texts == ["You drink ", "tea."]
    assert (used.text, used.price_usd, used.output_tokens) == ("You drink tea.", 0.01, 2)
    assert (await answer(stand_in, "at once"))[0] == ["All at once"]


async def test_it_is_given_the_prompt_the_memory_and_nothing_else(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "999:secret")
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "its-own")
    await answer(stand_in, "What do I drink?")
    run = seen(stand_in)
    assert run["message"] == "[09:15 AM] What do I drink?"
    assert "Likes tea" in run["system"]
    assert run["config"]["mcpServers"]["memory"]["url"] == ACCESS.url
    assert run["mode"].endswith("700")
    line = " ".join(run["arguments"])
    assert "--strict-mcp-config" in line
    assert "mcp__memory__search_memory" in line
    assert "record_message" not in line
    assert "a-token" not in line, "other users of the machine can read a command line"
    assert "What do I drink" not in line
    assert run["environment"]["ANTHROPIC_API_KEY"] == "its-own"
    assert not {"TELEGRAM_BOT_TOKEN", "DATABASE_URL"} & set(run["environment"])


async def test_in_a_chat_that_is_not_the_tokens_owners_it_has_no_tools(stand_in: Path) -> None:
    await answer(stand_in, "What do I drink?", chat_id=-100)
    assert seen(stand_in)["config"] == {"mcpServers": {}}


@pytest.mark.parametrize(
    ("message", "why"), [("fail", "no credit"), ("refuse", "Invalid API key"), ("hang", "no output")]
)
async def test_a_command_that_fails_or_falls_silent_cannot_answer(stand_in: Path, message: str, why: str) -> None:
    with pytest.raises(CannotAnswer, match=why):
        await answer(stand_in, message, seconds=3 if message == "hang" else HANGS)


async def test_a_command_that_is_missing_cannot_answer(tmp_path: Path) -> None:
    with pytest.raises(CannotAnswer, match="cannot be run"):
        await answer(tmp_path / "nothing", "Hello")


@pytest.mark.node
async def test_the_real_claude_code_reads_the_memory_and_answers(
    npm_bin: Path,  # noqa: F811
    tmp_path: Path,
    dsn: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with http_server(tmp_path / "data", dsn) as server, AnthropicStub(searching) as stub:
        await remembered(server)
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("PATH", f"{npm_bin}{os.pathsep}{os.defpath}")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stub.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
        responder = ClaudeCli(str(npm_bin / "claude"), 60, MemoryAccess(server.url, server.token(), 42))
        pieces = [p async for p in responder.answer(prompt("What do I drink?"), incoming("What do I drink?"), None)]
        asked_before = len(stub.asked)
        with_files = prompt("What is this?", File("image", "image/png", "a.png", PIXEL), PDF)
        described = [p async for p in responder.answer(with_files, incoming("What is this?"), None)]
    assert "".join(p for p in pieces if isinstance(p, str)).endswith("You drink green tea.")
    assert "".join(p for p in described if isinstance(p, str)).endswith("You drink green tea.")
    shown = [
        block
        for asked in stub.asked[asked_before:]
        for m in asked.messages
        if isinstance(m["content"], list)
        for block in m["content"]
    ]
    assert {base64.b64decode(b["source"]["data"]) for b in shown if b["type"] in ("image", "document")} == {
        PIXEL,
        PDF.data,
    }
    talks = [asked for asked in stub.asked[:asked_before] if asked.path == "/v1/messages"]
    assert any("Likes tea" in asked.system for asked in talks)
    offered = {tool["name"] for asked in talks for tool in asked.body.get("tools", ())}
    assert not offered & {"Bash", "Write", "Edit", "WebFetch"}, "it may read the memory, and nothing of this machine"
    assert "green tea" in json.dumps(results(talks[-1]))


@pytest.mark.node
@pytest.mark.parametrize(("status", "cause"), [(401, "key"), (529, "busy")])
async def test_the_real_claude_code_reports_a_failure_after_two_requests(
    npm_bin: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    cause: str,
) -> None:
    async with AnthropicStub(always(Fail(status))) as stub:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("PATH", f"{npm_bin}{os.pathsep}{os.defpath}")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stub.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
        responder = ClaudeCli(str(npm_bin / "claude"), HANGS, None)
        with pytest.raises(CannotAnswer) as failed:
            [_ async for _ in responder.answer(prompt("Hello"), incoming("Hello"), None)]
    assert failed.value.cause == cause
    assert len([asked for asked in stub.asked if asked.path == "/v1/messages"]) <= 2


async def remembered(server: HttpServer) -> None:
    async with connect_http(server.url, server.token()) as memory:
        await memory.remember(c.RememberArgs(content="I drink green tea every morning"))


def searching(asked: Asked) -> Reply:
    """A script that searches once and then answers."""
    if asked.body.get("tools") and not results(asked):
        return UseTool("mcp__memory__search_memory", {"query": "green tea"})
    return Say("You drink green tea.")


def results(asked: Asked) -> list[Any]:
    blocks = [block for m in asked.messages if isinstance(m["content"], list) for block in m["content"]]
    return [block for block in blocks if block.get("type") == "tool_result"]
