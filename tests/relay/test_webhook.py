"""Updates over HTTP. Only Telegram's own updates are accepted, and status 200 means that the update was recorded."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tellonce_relay.updates.webhook import SECRET_HEADER
from tests.memory_fixtures import Memory
from tests.patience import promised
from tests.relay.outages import InterruptibleMemory
from tests.relay.running_relay import Echo, relaying
from tests.server.processes import free_port
from tests.stubs.telegram_emulator import Telegram, telegram

pytestmark = pytest.mark.anyio

SECRET = "a-long-secret"


@asynccontextmanager
async def by_webhook(memory: Memory, state: Path, client: object = None) -> AsyncIterator[tuple[Telegram, str]]:
    port = free_port()
    url = f"http://127.0.0.1:{port}/hook"
    own = {"webhook": {"url": url, "port": port, "secret": SECRET}}
    async with telegram() as api, relaying(memory, Echo(), state=state, api=api, client=client, own=own):
        yield api, url


async def test_updates_come_by_webhook_and_are_answered_in_order(memory: Memory, tmp_path: Path) -> None:
    async with by_webhook(memory, tmp_path) as (api, _):
        for text in ("one", "two", "three"):
            await api.say(text)
        shown = await api.replies(3)
        hook = api.api.webhook
    assert hook["secret_token"] == SECRET
    assert int(hook["max_connections"]) == 1, "more would let updates overtake each other"
    assert shown == ["re one", "re two", "re three"]
    assert not api.api.of("getUpdates")


async def test_who_does_not_know_the_secret_is_refused(memory: Memory, tmp_path: Path) -> None:
    async with by_webhook(memory, tmp_path) as (api, url), httpx.AsyncClient(trust_env=False) as http:
        await api.ask("one", replies=1)
        update = {"update_id": 99, "message": {**api.world.messages[42, 1], "message_id": 77, "text": "forged"}}
        without = await http.post(url, json=update)
        wrong = await http.post(url, json=update, headers={SECRET_HEADER: "guess"})
        garbage = await http.post(url, content=b"{", headers={SECRET_HEADER: SECRET})
        huge = await http.post(url, content=json.dumps("x" * 2**21), headers={SECRET_HEADER: SECRET})
        shown = await api.ask("two", replies=2)
    assert [answer.status_code for answer in (without, wrong, garbage, huge)] == [403, 403, 400, 400]
    assert shown == ["re one", "re two"]


async def test_what_could_not_be_recorded_is_delivered_again(memory: Memory, tmp_path: Path) -> None:
    async with memory.relay() as real:
        away = InterruptibleMemory(real, away=True)
        async with by_webhook(memory, tmp_path, away.client) as (api, _):
            await api.say("one")
            await away.refused(2)
            assert api.world.updates, "Telegram still has it"
            away.away = False
            await api.until(lambda: "re one" in [message["text"] for message in api.sent])
            async with asyncio.timeout(promised(5)):
                await api.all_fetched()


async def test_an_update_nobody_can_read_is_passed_over_and_the_next_one_comes(memory: Memory, tmp_path: Path) -> None:
    async with by_webhook(memory, tmp_path) as (api, _):
        await api.show(text="one", photo=7)
        assert await api.ask("two", replies=1) == ["re two"]
