"""Claude and Ollama against stubs that answer and misbehave."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tellonce_llm.claude import Claude
from tellonce_llm.errors import LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion, LanguageModel, SystemBlock, Turn, ask
from tellonce_llm.ollama import Ollama
from tests.patience import HANGS
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import ErrorInStream, Fail, Garbage, HalfStream, Hang, Reply, Say, say_json, seconds_for
from tests.stubs.stub import ModelStub

pytestmark = pytest.mark.anyio

QUICK = replace(ask("hello", system="be kind"), timeout=HANGS)


class Pair(BaseModel):
    city: str = Field(min_length=1)
    years: list[int]


WITH_SCHEMA = replace(QUICK, json_schema=Pair.model_json_schema())


@pytest.fixture
async def claude_stub(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AnthropicStub]:
    _no_proxies(monkeypatch)
    async with AnthropicStub() as stub:
        yield stub


@pytest.fixture
async def ollama_stub() -> AsyncIterator[OllamaStub]:
    async with OllamaStub() as stub:
        yield stub


@pytest.fixture
async def claude(claude_stub: AnthropicStub) -> AsyncIterator[Claude]:
    async with aclosing(Claude("test-key", base_url=claude_stub.url)) as model:
        yield model


@pytest.fixture
async def ollama(ollama_stub: OllamaStub) -> AsyncIterator[Ollama]:
    async with aclosing(Ollama(ollama_stub.url, "llama3.2")) as model:
        yield model


@pytest.fixture(params=["claude", "ollama"])
async def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Any, Any]]:
    _no_proxies(monkeypatch)
    if request.param == "claude":
        async with AnthropicStub() as stub, aclosing(Claude("test-key", base_url=stub.url)) as model:
            yield stub, model
    else:
        async with OllamaStub() as server, aclosing(Ollama(server.url, "llama3.2")) as local:
            yield server, local


def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


async def failure_of(model: LanguageModel, request: Completion) -> LLMError:
    with pytest.raises(LLMError) as caught:
        await model.complete(request)
    return caught.value


async def streamed(model: LanguageModel, request: Completion) -> tuple[list[str], Answer | None, LLMError | None]:
    texts: list[str] = []
    answer = None
    try:
        async for piece in model.stream(request):
            if isinstance(piece, Answer):
                answer = piece
            else:
                texts.append(piece)
    except LLMError as error:
        return texts, answer, error
    return texts, answer, None


async def test_an_answer_carries_text_model_tier_tokens_and_time(either: tuple[ModelStub, LanguageModel]) -> None:
    stub, model = either
    stub.script = lambda asked: Say("Good morning.", input_tokens=100, output_tokens=20)
    answer = await model.complete(QUICK)
    assert (answer.text, answer.model, answer.tier) == ("Good morning.", model.name, model.tier)
    assert (answer.input_tokens, answer.output_tokens, answer.truncated) == (100, 20, False)
    assert 0 < answer.seconds < 5
    assert stub.asked[0].system == "be kind"
    assert stub.asked[0].user == "hello"


async def test_a_stream_yields_the_same_text_in_pieces_and_then_the_answer(
    either: tuple[ModelStub, LanguageModel],
) -> None:
    stub, model = either
    stub.script = lambda asked: Say("A longer answer in many pieces.", output_tokens=9)
    texts, answer, error = await streamed(model, QUICK)
    assert error is None
    assert len(texts) > 2
    assert answer is not None
    assert "".join(texts) == answer.text == "A longer answer in many pieces."
    assert answer.output_tokens == 9


@pytest.mark.parametrize(
    "reply", [Hang(), Fail(500), Fail(503), Fail(529), Fail(429), Fail(401), Fail(404), Garbage(), Garbage("[1]")]
)
async def test_outages_are_unavailable(either: tuple[ModelStub, LanguageModel], reply: Reply) -> None:
    stub, model = either
    await model.complete(
        QUICK
    )  # the first call loads modules and opens connections; a test with a short timeout must not include this time
    stub.script = lambda asked: reply
    request = replace(QUICK, timeout=seconds_for(reply))
    assert isinstance(await failure_of(model, request), LLMUnavailable)
    assert len(stub.asked) == 2, "the model must not retry by itself"
    texts, answer, error = await streamed(model, request)
    assert (texts, answer) == ([], None)
    assert isinstance(error, LLMUnavailable)


@pytest.mark.parametrize("reply", [HalfStream("Half of it"), HalfStream("Half of it", cut=False), Hang("Half of it")])
async def test_a_stream_that_breaks_off_is_unavailable_after_its_text(
    either: tuple[ModelStub, LanguageModel], reply: Reply
) -> None:
    stub, model = either
    await model.complete(QUICK)
    stub.script = lambda asked: reply
    texts, answer, error = await streamed(model, replace(QUICK, timeout=seconds_for(reply)))
    assert "".join(texts) == "Half of it"
    assert answer is None
    assert isinstance(error, LLMUnavailable)


async def test_an_error_event_in_a_stream_is_unavailable(either: tuple[ModelStub, LanguageModel]) -> None:
    stub, model = either
    stub.script = lambda asked: ErrorInStream("Half of it")
    texts, _, error = await streamed(model, QUICK)
    assert "".join(texts) == "Half of it"
    assert isinstance(error, LLMUnavailable)


async def test_nothing_listening_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    _no_proxies(monkeypatch)
    async with AnthropicStub() as stub:
        gone = stub.url
    async with aclosing(Claude("k", base_url=gone)) as claude, aclosing(Ollama(gone, "llama3.2")) as ollama:
        for model in (claude, ollama):
            assert isinstance(await failure_of(model, QUICK), LLMUnavailable)
            assert isinstance((await streamed(model, QUICK))[2], LLMUnavailable)


async def test_text_cut_at_max_tokens_is_marked_and_json_cut_there_is_unusable(
    either: tuple[ModelStub, LanguageModel],
) -> None:
    stub, model = either
    stub.script = lambda asked: Say("It goes on and", stop="max_tokens")
    assert (await model.complete(QUICK)).truncated
    failure = await failure_of(model, WITH_SCHEMA)
    assert isinstance(failure, LLMUnusable)
    assert failure.answer is not None


async def test_cancelling_a_call_ends_it_at_once(either: tuple[ModelStub, LanguageModel]) -> None:
    stub, model = either
    arrived = asyncio.Event()

    def hang(asked: object) -> Reply:
        arrived.set()
        return Hang()

    stub.script = hang
    task = asyncio.create_task(model.complete(replace(QUICK, timeout=60)))
    async with asyncio.timeout(HANGS):
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_refusal_is_unusable_and_its_tokens_are_known(claude: Claude, claude_stub: AnthropicStub) -> None:
    claude_stub.script = lambda asked: Say("No.", stop="refusal", input_tokens=7)
    failure = await failure_of(claude, QUICK)
    assert isinstance(failure, LLMUnusable)
    assert failure.answer is not None
    assert failure.answer.input_tokens == 7
    assert isinstance((await streamed(claude, QUICK))[2], LLMUnusable)


@pytest.mark.parametrize(
    ("kind", "expected"), [("invalid_request_error", LLMUnusable), ("billing_error", LLMUnavailable)]
)
async def test_a_rejected_request_is_unusable_but_an_unpaid_bill_is_an_outage(
    claude: Claude, claude_stub: AnthropicStub, kind: str, expected: type[LLMError]
) -> None:
    claude_stub.script = lambda asked: Fail(400, "no", kind)
    assert isinstance(await failure_of(claude, QUICK), expected)


async def test_the_wait_a_provider_asks_for_is_passed_on_and_not_slept(
    claude: Claude, claude_stub: AnthropicStub
) -> None:
    claude_stub.script = lambda asked: Fail(429, "slow down", "rate_limit_error", retry_after=3600)
    async with asyncio.timeout(HANGS):
        failure = await failure_of(claude, QUICK)
    assert isinstance(failure, LLMUnavailable)
    assert failure.retry_after == 3600


async def test_claude_is_sent_a_schema_it_accepts_and_cache_breakpoints(
    claude: Claude, claude_stub: AnthropicStub
) -> None:
    claude_stub.script = lambda asked: say_json({"city": "Lisbon", "years": [2026]})
    system = (SystemBlock("stable", cache=True), SystemBlock("changing"))
    answer = await claude.complete(replace(WITH_SCHEMA, system=system))
    assert Pair.model_validate_json(answer.text).city == "Lisbon"
    asked = claude_stub.asked[0]
    assert asked.schema is not None
    assert asked.schema["additionalProperties"] is False
    assert asked.body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in asked.body["system"][1]
    assert "temperature" not in asked.body


async def test_the_price_counts_cached_tokens_and_is_none_for_an_unknown_model(claude_stub: AnthropicStub) -> None:
    claude_stub.script = lambda asked: Say(
        "ok", input_tokens=1_000_000, output_tokens=200_000, cache_read=1_000_000, cache_write=100_000
    )
    async with aclosing(Claude("k", "claude-haiku-4-5-20251001", base_url=claude_stub.url)) as model:
        assert (await model.complete(QUICK)).price_usd == pytest.approx(1 + 1 + 0.1 + 0.125)
    async with aclosing(Claude("k", "claude-unheard-of", base_url=claude_stub.url)) as model:
        assert (await model.complete(QUICK)).price_usd is None


async def test_ollama_is_told_context_size_schema_and_not_to_stream(ollama: Ollama, ollama_stub: OllamaStub) -> None:
    ollama_stub.script = lambda asked: say_json({"city": "Lisbon", "years": []})
    answer = await ollama.complete(WITH_SCHEMA)
    body = ollama_stub.asked[0].body
    assert body["options"]["num_ctx"] == 8192
    assert body["options"]["num_predict"] == WITH_SCHEMA.max_tokens
    assert body["format"]["properties"].keys() == {"city", "years"}
    assert body["stream"] is False
    assert answer.price_usd == 0.0


async def test_a_missing_ollama_model_says_how_to_get_it(ollama_stub: OllamaStub) -> None:
    async with aclosing(Ollama(ollama_stub.url, "qwen9")) as model:
        failure = await failure_of(model, QUICK)
    assert isinstance(failure, LLMUnavailable)
    assert "ollama pull qwen9" in str(failure)


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_an_empty_answer_of_ollama_is_unusable(ollama: Ollama, ollama_stub: OllamaStub, text: str) -> None:
    ollama_stub.script = lambda asked: Say(text)
    assert isinstance(await failure_of(ollama, QUICK), LLMUnusable)


async def test_conversations_keep_their_turns(either: tuple[ModelStub, LanguageModel]) -> None:
    stub, model = either
    turns = (Turn("user", "one"), Turn("assistant", "two"), Turn("user", "three"))
    await model.complete(replace(QUICK, turns=turns))
    shown = [message for message in stub.asked[0].messages if message["role"] != "system"]
    assert [message["content"] for message in shown] == ["one", "two", "three"]


def test_importing_the_package_loads_no_sdk() -> None:
    code = (
        "import sys, tellonce_llm; print([m for m in ('anthropic', 'ollama', 'httpx', 'httpx2') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


CANARY = "zq3c59dc048e"


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        Fail(400, CANARY, "invalid_request_error"),
        Fail(500, CANARY),
        Garbage(f"<html>{CANARY}</html>"),
        Garbage(f'{{"content": [{{"type": "{CANARY}"'),
        Garbage(f'data: {{"{CANARY}\n\n'),
    ],
)
async def test_what_a_provider_quotes_in_its_errors_is_neither_logged_nor_kept(
    either: tuple[ModelStub, LanguageModel], reply: Reply, streamed: bool
) -> None:
    stub, model = either
    stub.script = lambda asked: reply
    with pytest.raises(LLMError) as failure:
        await (_streamed(model) if streamed else model.complete(QUICK))
    assert model.name in str(failure.value)
    assert CANARY not in str(failure.value)


async def _streamed(model: LanguageModel) -> None:
    async for _ in model.stream(QUICK):
        pass


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Fail(401, "invalid x-api-key", "authentication_error"), "HTTP 401: invalid x-api-key"),
        (
            Fail(400, "Your credit balance is too low", "invalid_request_error"),
            "HTTP 400: Your credit balance is too low",
        ),
        (Fail(400, "prompt is too long", "invalid_request_error"), "HTTP 400: invalid_request_error"),
    ],
)
async def test_what_a_person_has_to_do_about_the_account_is_said(
    claude_stub: AnthropicStub, claude: Claude, reply: Reply, reason: str
) -> None:
    claude_stub.script = lambda asked: reply
    with pytest.raises(LLMError) as failure:
        await claude.complete(QUICK)
    assert reason in str(failure.value)
    assert isinstance(failure.value, LLMUnusable) == (reason.endswith("invalid_request_error"))
