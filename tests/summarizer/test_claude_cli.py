"""Learning with the `claude` command: first with a failing substitute, then with the real command and an API on
loopback."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tellonce.client_settings import SummarizerSettings
from tellonce.journal import silent
from tellonce.work import ExchangeResult
from tellonce_llm.allowance import Allowance
from tellonce_llm.batch import Batched
from tellonce_llm.breaker import Guarded
from tellonce_llm.claude_cli import ClaudeCli
from tellonce_llm.errors import LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.model import Completion, SystemBlock, Turn
from tellonce_summarizer.__main__ import steps
from tellonce_summarizer.agent.agent import done
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.conformance.conftest import npm_bin  # noqa: F401
from tests.patience import HANGS
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Fail, Reply, Say, UseTool
from tests.stubs.stub import Asked
from tests.summarizer.conversations import exchange

pytestmark = pytest.mark.anyio

MODEL = "claude-haiku-4-5"
STAND_IN = """#!{python}
import json, os, pathlib, sys, time

arguments = sys.argv[1:]
message = sys.stdin.read()
system = pathlib.Path(arguments[arguments.index("--system-prompt-file") + 1]).read_text()
seen = dict(arguments=arguments, message=message, system=system, environment=dict(os.environ), files=sorted(os.listdir()))
pathlib.Path({seen!r}).write_text(json.dumps(seen))
usage = dict(input_tokens=5, output_tokens=2)
match message:
    case "hang":
        time.sleep(60)
    case "garbage":
        print("<html>captive portal</html>")
    case "exit":
        sys.stderr.write("no credit\\nmore"), sys.exit(1)
    case "refused":
        print(json.dumps(dict(type="result", is_error=True, result="Please run /login", usage=usage)))
        sys.exit(1)
    case "nothing":
        print(json.dumps(dict(type="result", is_error=False, result="", usage=usage)))
    case "plain":
        print(json.dumps(dict(type="result", is_error=False, result="tea", usage=usage, total_cost_usd=0.5)))
    case _:
        answer = dict(structured_output=dict(said="tea"), result="ignored", usage=usage, total_cost_usd=0.5)
        print(json.dumps(dict(type="result", is_error=False, **answer)))
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    file = tmp_path / "claude"
    file.write_text(STAND_IN.format(python=sys.executable, seen=str(tmp_path / "seen.json")))
    file.chmod(0o755)
    return file


def cli(command: Path, an_hour: int = 100) -> ClaudeCli:
    return ClaudeCli(str(command), MODEL, Allowance(command.parent / "calls.json", an_hour, 100))


def request(text: str, seconds: float = HANGS, schema: dict[str, Any] | None = None) -> Completion:
    return Completion((Turn("user", text),), (SystemBlock("You learn."),), 100, schema, seconds)


def seen(stand_in: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((stand_in.parent / "seen.json").read_text())
    return found


async def test_structured_output_is_the_answer_and_costs_nothing_within_a_subscription(stand_in: Path) -> None:
    schema = {"type": "object", "properties": {"said": {"type": "string"}}}
    answer = await cli(stand_in).complete(request("What?", schema=schema))
    assert json.loads(answer.text) == {"said": "tea"}
    assert (answer.tier, answer.model) == ("claude-cli", f"claude -p ({MODEL})")
    assert (answer.input_tokens, answer.output_tokens, answer.price_usd) == (5, 2, 0.0)
    arguments = seen(stand_in)["arguments"]
    assert json.loads(arguments[arguments.index("--json-schema") + 1]) == schema


async def test_with_a_key_of_the_api_the_price_is_what_the_command_says(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "its-own")
    answer = await cli(stand_in).complete(request("plain"))
    assert (answer.text, answer.price_usd) == ("tea", 0.5)


async def test_it_gets_our_prompt_an_empty_folder_no_tools_and_nothing_of_our_surroundings(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "999:secret")
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    monkeypatch.setenv("SOMETHING_ELSE", "secret")
    await cli(stand_in).complete(request("What do I drink?"))
    run = seen(stand_in)
    assert (run["system"], run["message"], run["files"]) == (
        "You learn.",
        "What do I drink?",
        ["mcp.json", "system.txt"],
    )
    line = " ".join(run["arguments"])
    assert "--strict-mcp-config --tools  --permission-prompts none" in line
    assert "drink" not in line
    assert not any("secret" in value for value in run["environment"].values())
    assert run["environment"]["DISABLE_TELEMETRY"] == "1"
    assert run["environment"]["HOME"]


@pytest.mark.parametrize(
    ("message", "kind", "why"),
    [
        ("hang", LLMUnavailable, "no answer in time"),
        ("garbage", LLMUnavailable, "said nothing readable"),
        ("exit", LLMUnavailable, "ended with 1: no credit"),
        ("refused", LLMUnavailable, "Please run /login"),
        ("nothing", LLMUnusable, "an empty answer"),
    ],
)
async def test_a_command_that_misbehaves_is_named_for_what_it_does(
    stand_in: Path, message: str, kind: type[LLMError], why: str
) -> None:
    began = time.monotonic()
    with pytest.raises(kind, match=why) as caught:
        await cli(stand_in).complete(request(message, 1.0 if message == "hang" else HANGS))
    assert "more" not in str(caught.value)
    assert time.monotonic() - began < HANGS


async def test_a_command_that_is_missing_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(LLMUnavailable, match="cannot be run"):
        await cli(tmp_path / "nothing").complete(request("What?"))


async def test_summaries_leave_half_of_the_calls_to_learning(stand_in: Path) -> None:
    model = Guarded(cli(stand_in, an_hour=2))
    await model.complete(request("A summary"))
    with pytest.raises(LLMUnavailable, match="1 calls an hour"):
        await model.complete(request("A summary"))
    learning = Completion((Turn("user", "An exchange"),), timeout=HANGS, together="42")
    assert (await model.complete(learning)).tier == "claude-cli"


async def test_calls_beyond_the_allowance_are_not_made_and_the_work_is_done_without(stand_in: Path) -> None:
    with pytest.raises(LLMUnavailable, match="are used up"):
        await cli(stand_in, an_hour=0).complete(request("What?"))
    assert not (stand_in.parent / "seen.json").exists()
    chain = FallbackChain([Step(Guarded(cli(stand_in, an_hour=0)), HANGS)])
    outcome = await done(exchange("I live in Lisbon"), chain, silent, owner="42")
    assert (outcome.tier, [call.down for call in outcome.calls]) == ("keep", [True])
    assert chain.best_tier() == "keep"


@pytest.mark.parametrize(
    ("settings", "tiers"),
    [
        ({}, []),
        ({"TELLONCE_LEARNER": "claude-cli"}, ["claude-cli"]),
        ({"TELLONCE_RESPONDER": "claude-cli"}, ["claude-cli"]),
        ({"TELLONCE_RESPONDER": "claude-cli", "TELLONCE_LEARNER": "keep", "ANTHROPIC_API_KEY": "k"}, []),
        (
            {"TELLONCE_LEARNER": "claude-cli", "ANTHROPIC_API_KEY": "k", "OLLAMA_HOST": "http://127.0.0.1:1"},
            ["claude", "claude-cli", "ollama"],
        ),
    ],
)
def test_the_command_learns_only_where_it_is_asked_for(
    settings: dict[str, str], tiers: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OLLAMA_HOST", "TELLONCE_RESPONDER", "TELLONCE_LEARNER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    found = steps(SummarizerSettings(data_dir=tmp_path, _env_file=None))  # type: ignore[call-arg]
    assert [step.model.tier for step in found] == tiers


ITEM = {
    "quotes": [{"message_id": 1, "text": "I live in Lisbon"}],
    "about": "user",
    "text": "The user lives in Lisbon",
    "kind": "fact",
    "scope": "global",
    "when": None,
    "deadline": "",
    "certain": True,
    "doubt": "",
    "importance": 0.5,
    "pin": False,
    "same_as": 0,
    "replaces": [],
    "ends": [],
}
CANONICAL = {"user_confirmed": "", "llm_inferred": "", "general_summary": "", "obsolete": []}


def reader(asked: Asked) -> Reply:
    """A script that answers through the tool for structured output. The command forces the model to use this tool. Each
    reading is a separate process."""
    (tool,) = asked.body["tools"]
    if any(block.get("type") == "tool_result" for m in asked.messages for block in _blocks(m["content"])):
        return Say("Done.")
    if "verdicts" in tool["input_schema"]["properties"]:
        return UseTool(tool["name"], {"verdicts": [{"number": 1, "holds": True, "why": ""}]})
    return UseTool(tool["name"], {"items": [ITEM], "canonical": CANONICAL})


def _blocks(content: object) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


@pytest.fixture
def real(npm_bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{npm_bin}{os.pathsep}{os.defpath}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    return npm_bin / "claude"


@pytest.mark.node
async def test_the_real_command_reads_an_exchange_twice_and_has_no_tools(
    real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AnthropicStub(reader) as stub:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stub.url)
        model = ClaudeCli(str(real), MODEL, Allowance(tmp_path / "calls.json", 10, 10))
        chain = FallbackChain([Step(Guarded(Batched(model, seconds=0.01)), 60)])
        outcome = await done(exchange("I live in Lisbon"), chain, silent, owner="42")
    assert isinstance(outcome.result, ExchangeResult)
    assert [(item.text, item.certain) for item in outcome.result.items] == [("The user lives in Lisbon", True)]
    assert (outcome.tier, outcome.provisional) == ("claude-cli", True)
    assert [(call.tier, call.ok) for call in outcome.calls] == [("claude-cli", True)] * 2
    talks = [asked for asked in stub.asked if asked.path == "/v1/messages"]
    assert {tool["name"] for asked in talks for tool in asked.body["tools"]} == {"StructuredOutput"}
    assert "You keep the long-term memory of a person" in talks[0].system
    assert "I live in Lisbon" in talks[0].prompt
    assert Allowance(tmp_path / "calls.json", 10, 10).used().day == 2


@pytest.mark.node
async def test_the_real_command_refused_by_its_provider_is_unavailable(
    real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AnthropicStub(lambda asked: Fail(401, "invalid x-api-key", "authentication_error")) as stub:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", stub.url)
        model = ClaudeCli(str(real), MODEL, Allowance(tmp_path / "calls.json", 10, 10))
        with pytest.raises(LLMUnavailable):
            await model.complete(request("What?", 60))
