"""A real PostgreSQL for the server's tests: one embedded server per test session, and one database per test, which is
cloned from a template."""

import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from mcp.client import Client
from pydantic import BaseModel

from tellonce import contract as c
from tellonce.client import MemoryClient, ResultT
from tellonce.connect import PROTOCOL, connected
from tellonce.contract import Place
from tellonce.forget_contract import selection, ticked
from tellonce.settings import ServerSettings
from tellonce_server.app.server import build_server
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import Caller
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_server.store.database import codecs
from tellonce_sql import migrations
from tests import memory_disk
from tests.patience import until

USER = 42
START = datetime(2026, 2, 16, 1, 15, tzinfo=UTC)
_numbers = itertools.count()


class Clock:
    """A clock that changes only when a test advances it."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **by: float) -> None:
        self.at += timedelta(**by)


@pytest.fixture(scope="session", autouse=True)
def quick_folder() -> Iterator[Path]:
    """The folder of this run's databases."""
    with memory_disk.quick_folder() as folder:
        memory_disk.put_clusters_of_root_in(folder / "clusters")
        yield folder


@pytest.fixture(scope="session")
async def postgres(quick_folder: Path) -> AsyncIterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(quick_folder / "data")
    async with session(await server.start()) as connection:
        await migrate(connection, migrations())
    async with session(server.dsn(SUPERUSER, "postgres")) as admin:
        await _relax(admin)
    yield server
    await server.stop()


async def _relax(admin: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Durability is off, so that databases are created and dropped much faster. Autovacuum is off, because it would run
    at unpredictable times.

    Tests of crashes use separate servers with the normal settings.
    """
    for setting in ("fsync", "full_page_writes", "autovacuum"):
        await admin.execute(f"alter system set {setting} = off")
    await admin.execute("select pg_reload_conf()")


async def create_database(admin: "asyncpg.Connection[asyncpg.Record]", name: str) -> None:
    """Create a migrated database by copying the template's files. With durability switched off, this takes 40 ms;
    copying through the write-ahead log would take 51 ms."""
    await admin.execute(f"create database {name} template chatmem owner chatmem_app strategy file_copy")


@asynccontextmanager
async def session(dsn: str, **options: Any) -> "AsyncGenerator[asyncpg.Connection[asyncpg.Record]]":
    """A connection to the database, with these options of `asyncpg.connect`."""
    connection = await asyncpg.connect(dsn, **options)
    try:
        yield connection
    finally:
        await connection.close()


async def rows(dsn: str, statement: str) -> list[asyncpg.Record]:
    """The rows of a statement, which is run in a session of its own."""
    async with session(dsn) as connection:
        return await connection.fetch(statement)


async def value(dsn: str, statement: str) -> Any:
    """The first value of a statement, which is run in a session of its own."""
    async with session(dsn) as connection:
        return await connection.fetchval(statement)


@pytest.fixture
async def dsn(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """An empty, migrated database."""
    async with database(postgres) as dsn:
        yield dsn


@asynccontextmanager
async def database(postgres: EmbeddedPostgres) -> AsyncGenerator[str]:
    name = f"test_{next(_numbers)}"
    async with session(postgres.dsn(SUPERUSER, "postgres")) as admin:
        await create_database(admin, name)
        yield postgres.dsn(database=name)
        await admin.execute(f"drop database {name} with (force)")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(dsn: str, tmp_path: Path) -> ServerSettings:
    return ServerSettings.model_validate(
        {
            "database_url": dsn,
            "data_dir": tmp_path / "data",
            "user_ids": (USER, 43),
            "groups": (-100,),
            "personal_groups": (-200,),
            "timezone": "Asia/Singapore",
            "embeddings": "none",
        }
    )


class InPrivateChat(MemoryClient):
    """A client that adds the user's private chat to calls that name no chat."""

    def __init__(self, client: Client, user_id: int) -> None:
        super().__init__(client)
        self._user_id = user_id

    async def _call(self, tool: str, args: BaseModel, kind: type[ResultT]) -> ResultT:
        if isinstance(args, Place) and args.chat_id is None and args.conversation_id is None:
            args = args.model_copy(update={"chat_id": self._user_id})
        return await super()._call(tool, args, kind)


async def forget(client: MemoryClient, kept: Collection[int] | None = None, **what: object) -> c.Forgotten:
    """Preview an erasure and confirm it. Without `kept`, the ticked matches are erased. With `kept`, all matches are
    erased except those with these numbers."""
    preview = await client.forget(c.ForgetArgs.model_validate(what))
    assert preview.confirm is not None, f"{what} is not found"
    numbers = {match.id for match in preview.matches}
    chosen = selection(numbers.difference(kept), ticked(preview.matches)) if kept is not None else {}
    return await client.forget(c.ForgetArgs.model_validate({**what, **chosen, "confirm": preview.confirm}))


class Memory:
    """The running memory of one test. Any caller can use it."""

    def __init__(self, storage: Storage, settings: ServerSettings) -> None:
        self.storage = storage
        self.settings = settings

    @asynccontextmanager
    async def client(self, user_id: int | None = USER, scope: str = "assistant") -> AsyncGenerator[MemoryClient]:
        """An assistant whose calls use the user's private chat unless the test names another chat."""
        caller = Caller(user_id, frozenset((scope,)))
        server = build_server(self.settings, self.storage, auth=False, caller_of=lambda: caller)
        async with connected(Client(server, mode=PROTOCOL)) as client:
            yield InPrivateChat(client.mcp, user_id) if user_id is not None else client

    @asynccontextmanager
    async def tables(self) -> "AsyncGenerator[asyncpg.Connection[asyncpg.Record]]":
        """A connection for raw SQL in the role that owns the tables. Unlike the server's role, this role sees every
        row."""
        assert self.settings.database_url is not None
        async with session(self.settings.database_url.get_secret_value()) as connection:
            await codecs(connection)
            yield connection

    def relay(self) -> AbstractAsyncContextManager[MemoryClient]:
        return self.client(None, "relay")

    def agent(self) -> AbstractAsyncContextManager[MemoryClient]:
        return self.client(None, "agent")


@asynccontextmanager
async def opened(storage: Storage) -> AsyncGenerator[Memory]:
    """A server with the storage's settings, ready for calls."""
    async with storage.running():
        await storage.services()
        yield Memory(storage, storage.settings)


@pytest.fixture
async def memory(settings: ServerSettings, clock: Clock) -> AsyncIterator[Memory]:
    async with opened(Storage(settings, clock)) as memory:
        yield memory


WAITING = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
"""The number of sessions that wait for a lock."""


async def until_waiting(connection: "asyncpg.Connection[asyncpg.Record]", sessions: int) -> None:
    """Wait until this number of sessions waits for a lock."""

    async def waiting() -> bool:
        return bool(await connection.fetchval(WAITING) >= sessions)

    await until(waiting)


async def tables_with(connection: "asyncpg.Connection[asyncpg.Record]", text: str) -> list[str]:
    """The tables that have a row with the text, ignoring case. The text is not a number, because the digits of a
    timestamp or vector may contain the number by chance."""
    assert not text.isdigit()
    tables = await connection.fetch(
        "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname"
    )
    of_table = "select '{0}' where exists (select from {0} t where t::text ilike $1)"
    sql = " union all ".join(of_table.format(row["relname"]) for row in tables)
    return [row[0] for row in await connection.fetch(sql, f"%{text}%")]
