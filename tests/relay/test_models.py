"""Real model clients with the bot: their requests, and the fallback if the first model does not answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce_llm.breaker import Guarded
from tellonce_llm.claude import Claude
from tellonce_llm.fallback import FirstAvailable
from tellonce_llm.ollama import Ollama
from tellonce_relay.catalogue import phrase
from tellonce_relay.responders.model import ModelResponder, SingleSystemPrompt
from tellonce_relay.turn.model_call import trouble
from tests.memory_fixtures import Memory
from tests.relay.running_relay import relaying, texts
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Fail, Reply, Say
from tests.stubs.stub import always
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def claude(reply: Reply) -> AsyncIterator[tuple[Claude, AnthropicStub]]:
    async with AnthropicStub(reply) as stub:
        model = Claude("key", "claude-sonnet-5-5", base_url=stub.url)
        try:
            yield model, stub
        finally:
            await model.aclose()


@asynccontextmanager
async def ollama(reply: Reply) -> AsyncIterator[tuple[Ollama, OllamaStub]]:
    async with OllamaStub(reply) as stub:
        model = Ollama(stub.url, "llama3.2")
        try:
            yield model, stub
        finally:
            await model.aclose()


async def test_claude_gets_the_sections_with_cache_breakpoints(memory: Memory) -> None:
    async with claude(Say("Miso, of course.")) as (model, stub), relaying(memory, ModelResponder(model, 20)) as api:
        for i in range(15):
            await api.ask(f"My cat Miso did trick number {i}", replies=i + 1)
    first, last = stub.asked[0].body, stub.asked[-1].body
    assert last["stream"] is True
    marked = [block for block in last["system"] if "cache_control" in block]
    assert 1 <= len(marked) <= 4
    assert first["system"][0] == last["system"][0], "what is stable stays byte for byte"
    assert "cache_control" not in last["system"][-1]
    assert stub.asked[-1].user.endswith("My cat Miso did trick number 14")


async def test_when_claude_is_down_the_local_model_answers_and_without_it_the_person_is_told(
    memory: Memory, tmp_path: Path
) -> None:
    async with telegram() as api, claude(Fail(529)) as (first, _), ollama(Say("I am the local one.")) as (second, stub):
        both = ModelResponder(FirstAvailable([first, SingleSystemPrompt(second)]), 20)
        async with relaying(memory, both, api=api, state=tmp_path):
            await api.ask("Hello", replies=1)
        async with relaying(memory, ModelResponder(first, 20), api=api, state=tmp_path):
            await api.ask("Hello again", replies=2)
    assert texts(api) == ["I am the local one.", trouble("busy", owed=True)]
    assert len([m for m in stub.asked[0].messages if m["role"] == "system"]) == 1, "local templates keep one of several"


async def test_a_new_message_asks_at_once_while_all_models_fail(memory: Memory) -> None:
    failing = claude(Fail(401, "invalid x-api-key", "authentication_error"))
    async with failing as (first, stub), ollama(Fail(500)) as (second, _):
        guarded = [Guarded(first), Guarded(SingleSystemPrompt(second))]
        responder = ModelResponder(FirstAvailable(guarded), 20, [model.breaker for model in guarded])
        async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
            await api.ask("Hello", replies=1)
            stub.script = always(Say("Here I am."))
            assert (await api.ask("And now?", replies=3))[1:] == ["Here I am.", "Here I am."]


async def test_a_failure_in_one_chat_ends_no_pause_that_a_provider_has_requested(memory: Memory) -> None:
    failing = claude(Fail(429, "slow down", "rate_limit_error", retry_after=60))
    async with failing as (first, stub), ollama(Fail(500)) as (second, other):
        guarded = [Guarded(first), Guarded(SingleSystemPrompt(second))]
        responder = ModelResponder(FirstAvailable(guarded), 20, [model.breaker for model in guarded])
        async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
            await api.say("Hello", until=lambda: guarded[0].breaker.rest_seconds() > 30)
            asked = len(stub.asked)
            other.script = always(Say("Here I am."))
            await api.say("Hello", user=43, until=lambda: "Here I am." in texts(api))
    assert len(stub.asked) == asked


@pytest.mark.parametrize("reply", [Say("I can't", stop="refusal"), Fail(400)])
async def test_who_asks_what_the_best_model_will_not_answer_is_not_told_to_wait(memory: Memory, reply: Reply) -> None:
    async with (
        claude(reply) as (first, _),
        ollama(Fail(500)) as (second, _),
        relaying(memory, ModelResponder(FirstAvailable([first, SingleSystemPrompt(second)]), 20)) as api,
    ):
        await api.say("Hello", until=lambda: texts(api) == [phrase("turn.would_not")])


async def test_an_answer_that_was_too_long_says_that_it_ends_early(memory: Memory) -> None:
    async with (
        claude(Say("First, whisk the eggs. [REMEMBER: bakes with", stop="max_tokens")) as (model, _),
        relaying(memory, ModelResponder(model, 20)) as api,
        memory.client() as client,
    ):
        await api.ask("I bake with oat flour. How do I bake a cake?", replies=1)
        await api.ask("/memory", replies=2)
        profile = await client.get_profile(c.GetProfileArgs())
    assert texts(api)[0] == "First, whisk the eggs." + phrase("turn.cut")
    assert not any(m.content == "bakes with" for m in (*profile.facts, *profile.preferences))
