"""The relay's process: its settings, its end on a signal, and its restart after a kill."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.relay.relay_process import relay_process
from tests.server.processes import HttpServer, http_server
from tests.stubs.telegram_emulator import Telegram

pytestmark = pytest.mark.anyio


@pytest.fixture
async def server(tmp_path: Path, dsn: str) -> AsyncIterator[HttpServer]:
    async with http_server(tmp_path / "data", dsn) as running:
        yield running


async def test_it_answers_lets_no_second_relay_on_its_folder_and_ends_on_a_signal(
    server: HttpServer, api: Telegram
) -> None:
    async with relay_process(server, api) as relay:
        await api.ask("My name is Priya", replies=1)
        await api.ask("What is my name?", replies=2)
        shown = await api.ask("/status", replies=3)
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
