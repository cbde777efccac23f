"""After scrubbing, no file of the embedded database contains forgotten text."""

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import asyncpg
import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.domain.erasure.scrub import Scrubber
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.store.scrub import LOCK, give_way
from tests.memory_fixtures import Clock, Memory, forget, session
from tests.patience import HANGS, promised, until

pytestmark = pytest.mark.anyio

CANARY = "Quetzalcoatlus"


def holding(folder: Path, *words: str) -> list[str]:
    """Files that contain one of the words, ignoring case."""
    wanted = [word.lower().encode() for word in words]
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [str(file.relative_to(folder)) for file in files if any(w in _bytes(file).lower() for w in wanted)]


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


async def test_forgotten_text_leaves_the_files_with_the_scrub(tmp_path: Path, clock: Clock) -> None:
    settings = ServerSettings.model_validate(
        {"data_dir": tmp_path, "user_ids": (42,), "timezone": "UTC", "embeddings": "none"}
    )
    storage = Storage(settings, clock)
    async with storage.running():
        await storage.services()
        cluster = EmbeddedPostgres(tmp_path / "postgres").cluster
        async with Memory(storage, settings).client() as client:
            for number in range(30):
                said = f"My {CANARY} number {number} likes fish. It rains."
                await client.record_message(c.RecordMessageArgs(role="user", content=said, message_id=str(number)))
            await client.remember(c.RememberArgs(content=f"I keep a {CANARY} in the garden"))
            await client.get_context(c.GetContextArgs(query=CANARY))
            await forget(client, topic=CANARY)
            before = holding(cluster, CANARY)
            async with traffic(client) as waits:
                await scrubbed(storage)
            assert holding(cluster, CANARY) == []
            assert not await _scrubber(storage).scrub_if_due()
            context = await client.get_context(c.GetContextArgs(query="rain"))
    left = holding(cluster, CANARY)
    shutil.rmtree(cluster)
    assert before
    assert max(waits) < promised(1)
    assert "It rains." in (context.context or "")
    assert left == []


async def scrubbed(storage: Storage) -> None:
    with anyio.fail_after(HANGS):
        while not await _scrubber(storage).scrub():
            pass


def _scrubber(storage: Storage) -> Scrubber:
    return storage.opened.scrubber


@asynccontextmanager
async def traffic(client: MemoryClient) -> AsyncGenerator[list[float]]:
    """Make calls that read and write the same memory without a pause, and record their durations."""
    waits: list[float] = []

    async def call() -> None:
        while True:
            began = time.monotonic()
            await client.record_message(c.RecordMessageArgs(role="user", content="It rains again."))
            await client.search_memory(c.SearchMemoryArgs(query="rain"))
            waits.append(time.monotonic() - began)

    async with anyio.create_task_group() as calls:
        calls.start_soon(call)
        yield waits
        calls.cancel_scope.cancel()


HOLDS = "do $$ begin lock table messages in access exclusive mode; perform pg_sleep(60); end $$"
"""A statement with the same lock as a rewrite of a large table. It keeps the lock for a minute."""


async def test_a_rewrite_that_somebody_waits_for_gives_way_within_a_second(dsn: str) -> None:
    session, watch, caller = [await asyncpg.connect(dsn) for _ in range(3)]
    rewriting = asyncio.create_task(give_way(session, watch, HOLDS))
    await until(lambda: watching(caller))
    with anyio.fail_after(HANGS):
        began = time.monotonic()
        await caller.fetchval("select count(*) from messages")
        waited = time.monotonic() - began
        assert not await rewriting
    assert waited < promised(1)
    for connection in (session, watch, caller):
        await connection.close()


async def watching(caller: "asyncpg.Connection[asyncpg.Record]") -> bool:
    """Whether the rewrite has its lock."""
    return bool(
        await caller.fetchval(
            "select exists (select from pg_locks where relation = 'messages'::regclass "
            "and mode = 'AccessExclusiveLock' and granted)"
        )
    )


async def test_a_scrub_waits_for_nobody_for_long_and_goes_on_where_it_gave_way(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.tables() as reader:
        await client.remember(c.RememberArgs(content=f"I keep a {CANARY} in the garden"))
        await forget(client, topic=CANARY)
        scrubber = memory.storage.opened.scrubber
        assert scrubber is not None
        async with reader.transaction():
            await reader.fetch("select 1 from messages")
            assert not await scrubber.scrub_if_due()
            # The scrub was cancelled, so a call does not wait for it.
            assert (await client.search_memory(c.SearchMemoryArgs(query="garden"))).results == ()
        assert "conversation_summaries" in scrubber._rewritten
        assert "messages" not in scrubber._rewritten
        assert not await scrubber.scrub_if_due()
        clock.forward(minutes=11)
        assert await scrubber.scrub_if_due()
        assert not await scrubber.scrub_if_due()


async def test_a_start_does_the_scrub_that_gave_way_for_a_week(memory: Memory, clock: Clock) -> None:
    scrubber = _scrubber(memory.storage)
    async with memory.client() as client:
        assert not await scrubber.scrub_if_overdue()
        for days, overdue in ((0, True), (2, False), (8, True)):
            await client.remember(c.RememberArgs(content=f"I keep a {CANARY} in the garden"))
            await forget(client, topic=CANARY)
            clock.forward(days=days)
            assert await scrubber.scrub_if_overdue() == overdue


async def test_only_one_server_scrubs_at_a_time(memory: Memory, dsn: str) -> None:
    async with session(dsn) as other:
        assert await other.fetchval("select pg_try_advisory_lock($1)", LOCK)
        assert not await memory.storage.opened.scrubber.scrub()
    await until(lambda: memory.storage.opened.scrubber.scrub())


async def test_index_only_scans_need_no_table_after_a_scrub(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as reader:
        await client.record_message(c.RecordMessageArgs(role="user", content="It rains."))
        await scrubbed(memory.storage)
        row = await reader.fetchrow("select relpages, relallvisible from pg_class where oid = 'messages'::regclass")
    assert row is not None
    assert row["relallvisible"] == row["relpages"] > 0
