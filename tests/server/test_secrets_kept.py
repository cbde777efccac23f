"""A secret that the user typed is stored only in its message. It is not in any text that is derived, recalled, logged
or sent to a model."""

import logging
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_llm.breaker import Guarded
from tellonce_llm.claude import Claude
from tellonce_server.api.text import forget_question
from tellonce_server.app.storage import Storage
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.depth import depth
from tests.memory_fixtures import Clock, Memory
from tests.offline_worker import work_off
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.summarizer_model import competent
from tests.unit.test_secrets import AWS, BOT, GITHUB, GOOGLE, JWT, PEM, SK, SLACK

pytestmark = pytest.mark.anyio

TYPED = {
    SK: f"My key is {SK}, I like tea.",
    AWS: f"Use {AWS} for the deploy, I live in Singapore.",
    GITHUB: f"Remember that {GITHUB} is the token of the repository.",
    SLACK: f"The bot of the team posts with {SLACK}.",
    GOOGLE: f"maps={GOOGLE}",
    JWT: f"The cookie is {JWT}; it broke again.",
    BOT: f"Telegram says {BOT}.",
    "MIIEow": f"Here is the key:\n{PEM}\nPlease keep it.",
    "hunter2x": "My password is hunter2x, never mind.",
    "Sunny-Day99": "The wifi password for the office is Sunny-Day99.",
    "s3cr3tpart": "We use postgresql://ana:s3cr3tpart@db.example.org/x at work.",
    "4111 1111 1111 1111": "My card is 4111 1111 1111 1111, it ends in May.",
}
KEPT = "My AWS account number is 123456789012."
VERBATIM = {"messages.content", "message_versions.content"}
"""The columns that may contain the typed secret: the message and its versions."""

INDEXED = {"message_fts.tsv"}
"""The column with the searchable words of the message."""


async def exchange(memory: Memory, number: int, text: str) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=f"u{number}"))
        answer = c.RecordMessageArgs(
            role="assistant", content="Noted.", message_id=f"a{number}", exchange_of=f"u{number}"
        )
        await client.record_message(answer)


async def columns(memory: Memory) -> dict[str, str]:
    """Every text column with its contents."""
    async with memory.tables() as tables:
        names = await tables.fetch(
            "select table_name, column_name from information_schema.columns where table_schema = 'public' "
            "and data_type in ('text', 'jsonb', 'tsvector', 'ARRAY')"
        )
        return {
            f"{table}.{column}": str(
                await tables.fetchval(f'select string_agg("{column}"::text, chr(10)) from "{table}"')
            )
            for table, column in names
        }


async def test_a_secret_stays_in_the_message_it_was_typed_in(
    settings: ServerSettings,
    clock: Clock,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    told = settings.model_copy(update={"observability": True, "log_dir": tmp_path / "logs"})
    storage = Storage(told, clock)
    async with storage.running(), AnthropicStub(competent) as stub:
        await storage.services()
        memory = Memory(storage, told)
        claude = Claude("key", base_url=stub.url)
        async with memory.agent() as agent:
            for number, text in enumerate([*TYPED.values(), KEPT] * depth(3, 4)):
                clock.forward(minutes=5)
                await exchange(memory, number, text)
                await work_off(agent, FallbackChain([Step(Guarded(claude), 15.0)] if number % 2 else []))
        answers = await asked_for(memory)
        await claude.aclose()
        prompts = [str(asked.body) for asked in stub.asked]
        stored = await columns(memory)
    lines = [line for file in (tmp_path / "logs").glob("*.jsonl") for line in file.read_text().splitlines()]
    heard = "\n".join([*lines, caplog.text, *capfd.readouterr()])
    assert len(prompts) > 5
    assert len(lines) > 20
    for secret in TYPED:
        assert secret in stored["messages.content"]
        assert {place for place, text in stored.items() if secret in text} <= VERBATIM | INDEXED, secret
        assert [text for text in answers if secret in text] == []
        assert not any(secret in prompt for prompt in prompts)
        assert secret not in heard
    assert "123456789012" in stored["memories.content"], "an account number is what people want remembered"


async def test_a_routine_that_prints_a_secret_is_summed_up_without_it(memory: Memory) -> None:
    async with memory.client() as client:
        for number, summary in enumerate((None, f"The scan found {SK}.")):
            text = f"Scan {number}: the deploy uses {AWS} and {SK}."
            await client.record_message(
                c.RecordMessageArgs(role="assistant", content=text, routine="security-daily-scan", summary=summary)
            )
        view = await client.summarize_chat(c.SummarizeChatArgs())
    stored = await columns(memory)
    assert len(view.routines_today) == 2
    for secret in (SK, AWS):
        assert secret not in view.model_dump_json()
        assert {place for place, text in stored.items() if secret in text} <= VERBATIM | INDEXED


async def asked_for(memory: Memory) -> list[str]:
    """The texts that a model gets from the tools for recalling."""
    async with memory.client() as client:
        contexts = [
            await client.get_context(c.GetContextArgs(query=query, detail=detail, token_budget=20_000))
            for query in ("What is the password of the wifi?", "Which key do we use?")
            for detail in ("text", "sections")
        ]
        profile = await client.get_profile(c.GetProfileArgs())
        summary = await client.summarize_chat(c.SummarizeChatArgs())
        found = [
            await client.search_memory(c.SearchMemoryArgs(query=query, limit=50))
            for query in ("password", "key", "card")
        ]
    return [answer.model_dump_json() for answer in (*contexts, profile, summary, *found)]


async def test_a_preview_shows_the_words_to_erase_also_behind_long_secrets(memory: Memory) -> None:
    keys = ", ".join(f"sk-ant-api03-{'aB3dE5fG7h' * 9}-{number}" for number in range(6))
    text = f"My keys: {keys}. The onion tower is tall. {'It rains, and nothing else happens here. ' * 20}"
    async with memory.client() as client:
        await exchange(memory, 1, text)
        (match,) = (await client.forget(c.ForgetArgs(topic="onion tower"))).matches
    assert "onion tower" in match.text
    assert "sk-ant" not in match.text


async def test_a_preview_of_an_erasure_masks_secrets_and_still_finds_and_erases_them(memory: Memory) -> None:
    async with memory.client() as client:
        for number, text in enumerate((*TYPED.values(), "The onion tower is tall."), 1):
            await exchange(memory, number, text)
        for args in (
            c.ForgetArgs(topic="onion tower"),
            c.ForgetArgs(everything=True),
            *(c.ForgetArgs(literal=secret) for secret in TYPED),
        ):
            preview = await client.forget(args)
            shown = preview.model_dump_json(include={"matches", "related"}) + forget_question(preview)
            assert preview.confirm is not None
            assert [secret for secret in TYPED if secret in shown] == []
            if args.literal is not None:
                done = await client.forget(args.model_copy(update={"confirm": preview.confirm}))
                assert done.traces_left == 0
        assert [secret for secret in TYPED if secret in "\n".join((await columns(memory)).values())] == []
