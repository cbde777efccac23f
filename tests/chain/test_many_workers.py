"""With several summarizers and servers on one database, every result is applied once and in order per chat."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.children import Child
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tests import fork_server
from tests.crash.invariants import APPLIED, BREACHES
from tests.depth import depth
from tests.memory_fixtures import session
from tests.patience import until
from tests.server.processes import HttpServer, http_server

pytestmark = pytest.mark.anyio

USERS = (42, 43, 44)
EXCHANGES = depth(40, 100)
POLICY = '{"lease_seconds": 3, "backoff_seconds": 0.1, "backoff_cap_seconds": 1, "poll_seconds": 0.3}'
DRAINED = "select not exists (select from chat_context_queue where state <> 'complete')"
# The breaches that this test does not check. The first breach includes threads with more than 12 messages without a
# job. This test uses the default compaction, which allows up to 40 such messages in a thread. The test edits no
# message, so it cannot cause the second breach.
WITHOUT = ("thread left long without a job", "edit not learned from again")


@pytest.fixture
async def servers(
    tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[HttpServer, HttpServer]]:
    monkeypatch.setattr("sys.executable", fork_server.python())
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(http_server(tmp_path / "one", dsn, **_settings()))
        second = await stack.enter_async_context(http_server(tmp_path / "two", dsn, **_settings()))
        yield first, second


def _settings() -> dict[str, str]:
    return {"TELLONCE_QUEUE": POLICY, "TELEGRAM_USER_ID": ",".join(map(str, USERS))}


async def test_three_summarizers_on_two_servers_apply_each_result_once_though_one_is_killed(
    servers: tuple[HttpServer, HttpServer], dsn: str, tmp_path: Path
) -> None:
    workers = [_summarizer(servers[n % 2], tmp_path / f"worker{n}.log") for n in range(3)]
    running = [asyncio.create_task(worker.supervise()) for worker in workers]
    try:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connect_http(s.url, s.token("relay"))) for s in servers]
            talks = [asyncio.create_task(_talk(clients, user)) for user in USERS]
            await _reached(clients[0], EXCHANGES)
            assert workers[0].process is not None
            os.kill(workers[0].process.pid, signal.SIGKILL)
            await asyncio.gather(*talks)
            await _drained(dsn)
    finally:
        for worker in workers:
            await worker.stop()
        await asyncio.gather(*running)
    async with session(dsn) as connection:
        for name, statement in {**BREACHES, "applied not once": APPLIED}.items():
            if name not in WITHOUT:
                assert await connection.fetch(statement) == [], name
        exchanges = await connection.fetchval("select sum(exchanges) from chats")
        workers_seen = await connection.fetchval("select count(*) from messages")
    assert (exchanges, workers_seen) == (len(USERS) * EXCHANGES, 2 * len(USERS) * EXCHANGES)


def _summarizer(server: HttpServer, log: Path) -> Child:
    environment = {
        "TELLONCE_DATA_DIR": str(server.data_dir),
        "TELLONCE_URL": server.url,
        "ANTHROPIC_API_KEY": "",
        "OLLAMA_HOST": "",
        "TELLONCE_TOKEN": "",
    }
    output = os.open(log, os.O_WRONLY | os.O_CREAT, 0o600)
    return Child("summarizer", "tellonce_summarizer", (), environment, lambda _: None, longest_pause=0.5, output=output)


async def _talk(clients: list[MemoryClient], user: int) -> None:
    for n in range(EXCHANGES):
        client = clients[n % 2]
        said = c.RecordMessageArgs(
            chat_id=user, role="user", content=f"I own {n + 2} bikes in Oslo", message_id=f"u{n}"
        )
        await client.record_message(said)
        answer = c.RecordMessageArgs(
            chat_id=user, role="assistant", content=f"Noted {n}", message_id=f"a{n}", exchange_of=f"u{n}"
        )
        await client.record_message(answer)


async def _reached(client: MemoryClient, messages: int) -> None:

    async def reached() -> bool:
        return (await client.get_profile(c.GetProfileArgs(chat_id=USERS[0]))).conversation.messages >= messages

    await until(reached)


async def _drained(dsn: str) -> None:
    async with session(dsn) as connection:
        await until(lambda: connection.fetchval(DRAINED))
