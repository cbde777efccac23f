"""The connections that the server keeps between statements."""

import asyncio
from collections.abc import AsyncIterator

import anyio
import asyncpg
import pytest

from tellonce.settings import ServerSettings
from tellonce_server.app import background
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import TEMPORARY_FAILURES
from tellonce_server.store import pools
from tellonce_server.store.database import Database, open_database
from tests.memory_fixtures import USER, session
from tests.memory_fixtures import opened as running
from tests.patience import HANGS, until

pytestmark = pytest.mark.anyio

OWN_CONNECTIONS = "select pid from pg_stat_activity where application_name = $1 and datname = current_database()"


@pytest.fixture
async def opened(dsn: str) -> AsyncIterator[Database]:
    """Pools of at most two connections. Closing the pools must not wait for the connections that the server keeps."""
    database = await open_database(dsn, size=2)
    yield database
    with anyio.fail_after(HANGS):
        await database.close()


async def asked(database: Database, chat: int = USER) -> int:
    return len(await database.rows("threads.of_chat", USER, chat))


def busy(database: Database) -> int:
    return database.use()["calls"].busy


async def test_statements_share_the_connections_and_leave_none_busy(opened: Database) -> None:
    with anyio.fail_after(HANGS):
        await asyncio.gather(*(asked(opened, chat) for chat in range(50)))
    assert opened.use()["calls"].size == 2
    assert busy(opened) == 0


async def test_a_transaction_waits_for_a_connection_in_use_and_gets_it(opened: Database) -> None:
    async def wait() -> int:
        async with opened.transaction() as transaction:
            return len(await transaction.rows("threads.of_chat", USER, USER))

    with anyio.fail_after(HANGS):
        async with opened.transaction(), opened.transaction():
            assert busy(opened) == 2
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0)
        assert await waiting == 0
    assert busy(opened) == 0


async def test_lost_connections_are_replaced(opened: Database, dsn: str) -> None:
    await asyncio.gather(asked(opened), asked(opened))
    async with session(dsn) as other:
        ended = await other.fetch(OWN_CONNECTIONS, pools.OwnedConnection.name)
        await other.execute(
            f"select pg_terminate_backend(pid) from ({OWN_CONNECTIONS.replace('$1', '%s')}) x" % "'tellonce'"
        )
    assert ended
    with anyio.fail_after(HANGS):
        while True:
            answers = await asyncio.gather(*(asked(opened) for _ in range(4)), return_exceptions=True)
            if answers == [0] * 4:
                break
            # The pool has not yet noticed the lost connections.
            assert all(isinstance(answer, (int, *TEMPORARY_FAILURES)) for answer in answers)
    assert busy(opened) == 0


async def test_closing_waits_for_the_connections_in_use(opened: Database) -> None:
    with anyio.fail_after(HANGS):
        async with opened.transaction() as transaction:
            closing = asyncio.create_task(opened.close())
            await asyncio.sleep(0)
            assert await transaction.rows("threads.of_chat", USER, USER) == []
            assert not closing.done()
        await closing


async def test_a_failed_statement_leaves_no_open_transaction_and_no_busy_connection(opened: Database) -> None:
    for _ in range(3):
        with pytest.raises(asyncpg.PostgresError):
            await opened.rows("retrieval.query_lexemes", "a\0b")
    for _ in range(3):
        call = asyncio.create_task(asked(opened))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    with anyio.fail_after(HANGS):
        assert await asyncio.gather(*(asked(opened) for _ in range(4))) == [0] * 4
    assert busy(opened) == 0


async def test_connections_that_are_not_needed_go_back_to_asyncpg(opened: Database) -> None:
    pool = opened._pool
    assert isinstance(pool, pools.SessionPool)
    async with opened.transaction(), opened.transaction():
        pass
    await opened.return_unneeded()  # both connections were needed since the start
    assert pool._connections.get_idle_size() == 0
    await asked(opened)
    await opened.return_unneeded()  # one connection was needed since the last time
    assert pool._connections.get_idle_size() == 1
    await opened.return_unneeded()
    assert pool._connections.get_idle_size() == 2
    assert await asked(opened) == 0


async def test_a_running_server_gives_unneeded_connections_back(
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "CONNECTIONS_SECONDS", 0.05)
    async with running(Storage(settings)) as memory:
        database = (await memory.storage.services()).deps.database
        pool = database._pool
        assert isinstance(pool, pools.SessionPool)
        async with database.transaction(), database.transaction():
            pass
        await until(pool._connections.get_idle_size)


async def test_a_connection_in_constant_use_also_goes_back_sometimes(opened: Database) -> None:
    pool = opened._pool
    assert isinstance(pool, pools.SessionPool)
    idle = []
    for _ in range(pools.RETURNED_EVERY):
        assert await asked(opened) == 0
        idle.append(pool._connections.get_idle_size())
    assert 0 < sum(idle) < len(idle)
