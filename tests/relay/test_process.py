"""The relay's process: its settings, its end on a signal, and its restart after a kill."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.connect import connect_http
from tellonce_relay.catalogue import phrase
from tests.relay.relay_process import relay_process
from tests.server.processes import HttpServer, http_server
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Reply, Say
from tests.stubs.stub import Asked
from tests.stubs.telegram_emulator import Telegram

pytestmark = pytest.mark.anyio


@pytest.fixture
async def server(tmp_path: Path, dsn: str) -> AsyncIterator[HttpServer]:
    async with http_server(tmp_path / "data", dsn) as running:
        yield running


async def test_it_answers_lets_no_second_relay_on_its_folder_and_ends_when_told_to(
    server: HttpServer, api: Telegram
) -> None:
    async with relay_process(server, api) as relay:
        await api.say("My name is Priya")
        await api.replies(1)
        await api.say("What is my name?")
        await api.replies(2)
        await api.say("/status")
        shown = await api.replies(3)
        async with relay_process(server, api) as second:
            refused, errors = await second.said()
        code = await relay.stop()
    assert "“My name is Priya”" in shown[1]
    assert shown[2].startswith("Answers: from memory alone")
    assert (code, refused) == (0, 1)
    assert "Another relay uses" in errors


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("TELEGRAM_BOT_TOKEN", "", "TELEGRAM_BOT_TOKEN is not set"),
        ("TELEGRAM_BOT_TOKEN", "999:revoked", "does not know this bot"),
        ("TELEGRAM_USER_ID", "", "TELEGRAM_USER_ID is not set"),
        ("TELEGRAM_WEBHOOK__URL", "https://bot.example/hook", "TELEGRAM_WEBHOOK__SECRET is not set"),
    ],
)
async def test_a_setting_that_cannot_work_is_named(
    tmp_path: Path, api: Telegram, setting: str, value: str, sentence: str
) -> None:
    nowhere = HttpServer(tmp_path, None)
    async with relay_process(nowhere, api, TELLONCE_TOKEN="any", **{setting: value}) as relay:
        code, errors = await relay.said()
    assert code == 1
    assert sentence in errors
    assert "Traceback" not in errors
    assert "revoked" not in errors.replace("was revoked", ""), "a token is never printed"


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_with_relay_and_server_killed_again_and_again_every_message_is_answered_once_and_in_order(
    server: HttpServer, api: Telegram
) -> None:
    """A short run of all three processes is `tests/chain/test_relay_kills.py`."""
    rng, messages, kills = random.Random(7), 120, 24
    async with OllamaStub(echo) as model:
        more = {"TELLONCE_RESPONDER": "ollama", "OLLAMA_HOST": model.url}
        async with relay_process(server, api, **more) as relay:
            for batch in range(kills):
                for i in range(messages // kills):
                    await api.say(f"message {batch * (messages // kills) + i}.")
                await asyncio.sleep(rng.uniform(1.0, 3.0))  # the kill may happen at any time
                if batch % 4 == 3:
                    await server.stop(signal.SIGKILL)
                    await server.start()
                else:
                    await relay.kill()
                    await relay.start()
            async with asyncio.timeout(120):
                while len(answers(api)) < messages:
                    await api.until(lambda: bool(api.world))
                    await asyncio.sleep(0.1)
            await api.say("/help")
            await api.until(lambda: api.sent[-1]["text"] == phrase("help.text"))
    assert {message["text"] for message in api.sent} - set(answers(api)) <= {
        phrase("turn.memory_away"),
        phrase("help.text"),
    }
    assert answers(api) == [f"answer to message {i}." for i in range(messages)]
    async with connect_http(server.url, server.token("relay")) as memory:
        kept = [
            await memory.explain(c.ExplainArgs(message_id=str(message["message_id"]), chat_id=42))
            for message in api.sent
            if message["text"].startswith("answer")
        ]
        profile = await memory.get_profile(c.GetProfileArgs(chat_id=42))
    assert [answer.text for answer in kept] == answers(api)
    assert profile.conversation.messages == 2 * messages


def answers(api: Telegram) -> list[str]:
    return [message["text"] for message in api.sent if message["text"].startswith("answer")]


def echo(asked: Asked) -> Reply:
    return Say(f"answer to {asked.user.split('] ')[-1]}")
