"""After the scrub, forgotten text is in no file of the embedded database."""

import asyncio
import shutil
import time
from pathlib import Path

import anyio
import asyncpg
import pytest

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.store.postgres.embedded import EmbeddedPostgres
from tellonce_server.store.scrub import LOCK, give_way
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS, promised

pytestmark = pytest.mark.anyio

CANARY = "Quetzalcoatlus"


def holding(folder: Path, *words: str) -> list[str]:
    """Files that contain one of the words, ignoring case."""
    wanted = [word.lower().encode() for word in words]
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [str(file.relative_to(folder)) for file in files if any(w in _bytes(file).lower() for w in wanted)]


def _bytes(file: Path) -> bytes:
    """Read a file; a running server may delete it meanwhile."""
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
            preview = await client.forget(c.ForgetArgs(topic=CANARY))
            await client.forget(c.ForgetArgs(topic=CANARY, confirm=preview.confirm))
            before = holding(cluster, CANARY)
            assert storage.scrubber is not None
            assert await storage.scrubber.scrub_if_due()
            assert holding(cluster, CANARY) == []
            assert not await storage.scrubber.scrub_if_due()
            context = await client.get_context(c.GetContextArgs(query="rain"))
    left = holding(cluster, CANARY)
    shutil.rmtree(cluster)
    assert before
    assert "It rains." in (context.context or "")
    assert left == []


HOLDS = "do $$ begin lock table messages in access exclusive mode; perform pg_sleep(60); end $$"
"""A lock like that of rewriting a large table."""


async def test_a_rewrite_that_somebody_waits_for_gives_way_within_a_second(dsn: str) -> None:
    session, watch, caller = [await asyncpg.connect(dsn) for _ in range(3)]
    rewriting = asyncio.create_task(give_way(session, watch, HOLDS))
    with anyio.fail_after(HANGS):
        while not await watching(caller):  # noqa: ASYNC110  # another session takes it
            await asyncio.sleep(0.01)
        began = time.monotonic()
        await caller.fetchval("select count(*) from messages")
        waited = time.monotonic() - began
        assert not await rewriting
    assert waited < promised(1)
    for connection in (session, watch, caller):
        await connection.close()


async def watching(caller: "asyncpg.Connection[asyncpg.Record]") -> bool:
    """Wait until the rewrite has its lock."""
    return bool(
        await caller.fetchval(
            "select exists (select from pg_locks where relation = 'messages'::regclass "
            "and mode = 'AccessExclusiveLock' and granted)"
        )
    )


async def test_a_scrub_waits_for_nobody_for_long_and_goes_on_where_it_gave_way(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.tables() as reader:
        await client.remember(c.RememberArgs(content=f"I keep a {CANARY} in the garden"))
        preview = await client.forget(c.ForgetArgs(topic=CANARY))
        await client.forget(c.ForgetArgs(topic=CANARY, confirm=preview.confirm))
        scrubber = memory.storage.scrubber
        assert scrubber is not None
        async with reader.transaction():
            await reader.fetch("select 1 from messages")
            assert not await scrubber.scrub_if_due()
            # A later session did not have to wait for it.
            assert (await client.search_memory(c.SearchMemoryArgs(query="garden"))).results == ()
        assert scrubber._rewrites()[0] == "scrub.rewrite_messages"
        assert not await scrubber.scrub_if_due()
        clock.forward(minutes=11)
        assert await scrubber.scrub_if_due()
        assert not await scrubber.scrub_if_due()


async def test_only_one_server_scrubs_at_a_time(memory: Memory, dsn: str) -> None:
    other = await asyncpg.connect(dsn)
    assert memory.storage.scrubber is not None
    assert await other.fetchval("select pg_try_advisory_lock($1)", LOCK)
    assert not await memory.storage.scrubber.scrub()
    await other.close()
    with anyio.fail_after(HANGS):
        while not await memory.storage.scrubber.scrub():  # noqa: ASYNC110  # a session ends after its connection
            await asyncio.sleep(0.01)
