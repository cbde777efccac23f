"""Everyday messages of a demanding user, and the required contents of answers without a language model."""

import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.memory_fixtures import Clock, Memory, database, opened
from tests.relay.running_relay import ZONE, relaying
from tests.stubs.telegram_emulator import Telegram

pytestmark = pytest.mark.anyio

PHRASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["phrase"]
PEOPLE = range(1001, 1001 + len(PHRASES))
CASES = [pytest.param(user, case, id=str(case["say"])[:40]) for user, case in zip(PEOPLE, PHRASES, strict=True)]
KEPT = "select content from memories where valid_to is null and owner_id = $1"


@pytest.fixture(scope="module")
async def memory(postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    """A memory for all phrases. Each phrase is sent by a different person."""
    async with database(postgres) as dsn:
        settings = {"database_url": dsn, "data_dir": tmp_path_factory.mktemp("data"), "user_ids": tuple(PEOPLE)}
        settings |= {"timezone": ZONE.key, "embeddings": "none"}
        async with opened(Storage(ServerSettings.model_validate(settings), Clock())) as memory:
            yield memory


@pytest.mark.parametrize(("user", "case"), CASES)
async def test_an_everyday_phrase_gets_a_good_answer(memory: Memory, user: int, case: dict[str, Any]) -> None:
    async with relaying(memory, clock=Clock(), own={"user_ids": (user,)}) as api:
        api.world.languages[user] = case.get("language", "en")
        for number, told in enumerate(case.get("before", ()), 1):
            await api.ask(told, user, replies=number)
        before = len(api.sent)
        await api.say(case["say"], user)
        # A reminder can be offered for an earlier message before this answer arrives.
        await api.until(lambda: _is_answered(case, _shown(api, before)) and _has_acted(api, before))
        shown = _shown(api, before)
    if case.get("meaning"):
        pytest.xfail("no word in common: a model's business")
    assert any(wanted in shown for wanted in case["want"]), shown
    assert not [word for word in case.get("never", ()) if word in shown], shown
    assert not case.get("buttons") or "reply_markup" in api.sent[-1], shown
    async with memory.tables() as tables:
        kept = [row["content"] for row in await tables.fetch(KEPT, user)]
    assert case.get("kept", "") in "\n".join(kept)


def _shown(api: Telegram, before: int) -> str:
    return "\n".join(str(message["text"]) for message in api.sent[before:])


def _has_acted(api: Telegram, before: int) -> bool:
    return len(api.sent) > before or bool(api.world.reactions)


def _is_answered(case: dict[str, Any], shown: str) -> bool:
    return bool(case.get("meaning")) or any(wanted in shown for wanted in case["want"])
