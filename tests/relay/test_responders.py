"""The same conversation with each responder: the Claude API, a local model, and the `claude` command."""

import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from tellonce_llm.claude import Claude
from tellonce_llm.ollama import Ollama
from tellonce_relay.responders.claude_cli import ClaudeCli
from tellonce_relay.responders.model import ModelResponder, SingleSystemPrompt
from tellonce_relay.responders.responder import Responder
from tellonce_relay.turn.model_call import trouble
from tests.conformance.conftest import npm_bin  # noqa: F401
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS
from tests.relay.running_relay import relaying, texts
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Fail, HalfStream, Reply, Say
from tests.stubs.stub import Asked, ModelStub

pytestmark = pytest.mark.anyio

Kind = Literal["anthropic", "ollama", "claude-cli"]
KINDS: tuple[Kind, ...] = ("anthropic", "ollama", "claude-cli")

STAND_IN = """#!{python}
import json, pathlib, sys

replies = pathlib.Path({replies!r})
kind, text = (left := json.loads(replies.read_text())).pop(0)
replies.write_text(json.dumps(left))
with open({asked!r}, "a") as asked:
    asked.write(json.dumps(sys.stdin.read()) + "\\n")

def say(**event):
    print(json.dumps(event), flush=True)

if kind != "fail":
    say(type="stream_event", event=dict(type="content_block_delta", delta=dict(type="text_delta", text=text)))
if kind == "cut":
    sys.exit(1)
say(type="result", is_error=kind == "fail", result=text, usage=dict())
"""


@dataclass
class RespondingModel:
    """A responder, and the texts of its model's requests."""

    responder: Responder
    stub: ModelStub | None
    file: Path

    @property
    def asked(self) -> list[str]:
        if self.stub is not None:
            return [json.dumps(asked.messages) for asked in self.stub.asked if asked.messages]
        return [json.loads(line) for line in self.file.read_text().splitlines()]


def as_command_says(reply: Reply) -> tuple[str, str]:
    if isinstance(reply, Fail):
        return "fail", f"API Error: {reply.status} {reply.message}"
    return (
        ("cut", reply.text) if isinstance(reply, HalfStream) else ("say", reply.text if isinstance(reply, Say) else "")
    )


@asynccontextmanager
async def responding_model(kind: Kind, replies: Sequence[Reply], folder: Path) -> AsyncIterator[RespondingModel]:
    left, asked = list(replies), folder / "asked"
    if kind == "claude-cli":
        command, script = folder / "claude", folder / "replies.json"
        script.write_text(json.dumps([as_command_says(reply) for reply in replies]))
        command.write_text(STAND_IN.format(python=sys.executable, replies=str(script), asked=str(asked)))
        command.chmod(0o755)
        yield RespondingModel(ClaudeCli(str(command), HANGS, None), None, asked)
        return
    make = AnthropicStub if kind == "anthropic" else lambda script: OllamaStub(script, capabilities=("vision",))
    async with make(lambda _: left.pop(0)) as stub:
        model = Claude("key", base_url=stub.url) if kind == "anthropic" else Ollama(stub.url, "llama3.2")
        try:
            yield RespondingModel(ModelResponder(SingleSystemPrompt(model), HANGS), stub, asked)
        finally:
            await model.aclose()


@dataclass
class Competent:
    """A model that sets a reminder and sees a picture. It answers only while no failure is set in `wrong`."""

    wrong: Fail | None = None

    def __call__(self, asked: Asked) -> Reply:
        if self.wrong is not None:
            return self.wrong
        said = json.dumps([message for message in asked.messages if message["role"] == "user"])
        if "What is this?" in said:
            return Say("A red canoe." if "iVBORw0KGgo" in said else "I see nothing.")
        return Say("Sure. [REMIND: call mom | AT: 2026-02-17 09:00]" if "call mom" in said else "Hello.")


@pytest.mark.node
@pytest.mark.slow
async def test_the_real_claude_code_reminds_sees_a_picture_and_owes_an_answer(
    memory: Memory,
    clock: Clock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    npm_bin: Path,  # noqa: F811
) -> None:
    it = Competent()
    async with AnthropicStub(it) as stub:
        own = {"HOME": str(tmp_path), "PATH": f"{npm_bin}{os.pathsep}{os.defpath}"}
        for name, value in (own | {"ANTHROPIC_BASE_URL": stub.url, "ANTHROPIC_API_KEY": "dummy"}).items():
            monkeypatch.setenv(name, value)
        responder = ClaudeCli(str(npm_bin / "claude"), HANGS, None)
        async with relaying(memory, responder, clock=clock, owed_pauses=(60, 60)) as api:
            await api.ask("Can you remind me tomorrow at 9 to call mom?", replies=2)
            await api.photo(caption="What is this?")
            await api.replies(3)
            it.wrong = Fail(400, "Your credit balance is too low", "invalid_request_error")
            await api.ask("Hi", replies=4)
            it.wrong = None
            await api.ask("Are you there?", replies=6)
    reminded = "⏰ I'll remind you tomorrow at 9:00 AM: call mom"
    assert texts(api) == ["Sure.", reminded, "A red canoe.", trouble("billing", owed=True), "Hello.", "Hello."]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_broken_answer_is_continued_and_a_picture_is_seen(memory: Memory, tmp_path: Path, kind: Kind) -> None:
    replies: list[Reply] = [
        HalfStream("Oats, milk and a "),
        Fail(529, "overloaded"),
        Say("little salt."),
        Say("A red canoe."),
    ]
    async with responding_model(kind, replies, tmp_path) as it, relaying(memory, it.responder) as api:
        await api.ask("How do I make porridge?", replies=1)
        await api.photo(caption="What is this?")
        await api.replies(2)
        asked = it.asked
    assert texts(api) == ["Oats, milk and a little salt.", "A red canoe."]
    assert ["Oats, milk" in question for question in asked[:3]] == [False, True, True]
    assert "iVBORw0KGgo" in asked[3]
    assert "[photo] What is this?" in asked[3]


@pytest.mark.parametrize(
    ("kind", "failure", "cause"),
    [
        ("anthropic", Fail(401, "invalid x-api-key", "authentication_error"), "key"),
        ("anthropic", Fail(400, "Your credit balance is too low", "invalid_request_error"), "billing"),
        ("ollama", Fail(404, "model 'llama3.2' not found"), "model"),
        ("claude-cli", Fail(401, "Please run /login"), "key"),
        ("claude-cli", Fail(402, "Credit balance is too low"), "billing"),
    ],
)
async def test_what_is_wrong_is_named_and_the_answer_comes_when_it_is_cured(
    memory: Memory, tmp_path: Path, kind: Kind, failure: Fail, cause: Literal["key", "billing", "model"]
) -> None:
    replies: list[Reply] = [failure, Say("Hello."), Say("Yes.")]
    async with (
        responding_model(kind, replies, tmp_path) as it,
        relaying(memory, it.responder, owed_pauses=(60, 60)) as api,
    ):
        assert await api.ask("Hi", replies=1) == [trouble(cause, owed=True)]
        await api.say("/status")
        assert (await api.replies(2))[1].endswith("\n" + trouble(cause, owed=True))
        number = await api.say("Are you there?")
        assert (await api.replies(4))[2:] == ["Hello.", "Yes."]
    assert [int(reaction["message_id"]) for reaction in api.world.reactions] == [number], "it is noted while it waits"
