"""Runs named queries on connection pools, or inside one transaction.

Two mechanisms limit a statement to one owner's rows. The statement itself has the condition `owner_id = $1`. Row-level
security reads the owner from a setting of the connection (see `pools`).
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from tellonce_server.postgres.connection import connected
from tellonce_server.postgres.route import Route, unpooled
from tellonce_server.store.pools import (
    OwnedConnection,
    Pool,
    PoolUse,
    Proxy,
    SessionPool,
    SinglePool,
    open_borrowed_pool,
    open_session_pool,
    owner_forgotten_if_undone,
    prove_bound,
    serving,
)
from tellonce_server.store.pools import Row as Row
from tellonce_server.store.pools import codecs as codecs
from tellonce_sql import query, reach

POOL_SIZE = 12
WORKERS = 3
SESSIONS = 2
"""The number of direct connections for session locks. A pooler cannot provide session locks."""

SERVER_ROLE = "chatmem_server"
"""The role that sees only the rows of the connection's current owner. This role owns no tables."""

WORKER_ROLE = "chatmem_worker"
"""The role for work across owners (queue, embedder, ledger). It can read only the columns that this work needs."""

SETTINGS = {
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "max_parallel_workers_per_gather": "0",
    "synchronous_commit": "on",
}


class Queries(ABC):
    """The object that runs a store function's queries: a `Database` or a `Transaction`."""

    @abstractmethod
    def statement(self, name: str, args: tuple[Any, ...]) -> AbstractAsyncContextManager[Proxy]:
        """A connection on which the statement `name` may run now."""

    async def rows(self, name: str, *args: Any) -> list[Row]:
        async with self.statement(name, args) as connection:
            return await connection.fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        async with self.statement(name, args) as connection:
            return await connection.fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        async with self.statement(name, args) as connection:
            return await connection.fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        """Run a statement and return the number of affected rows."""
        async with self.statement(name, args) as connection:
            return _touched(await connection.execute(query(name), *args))


async def one(q: Queries, name: str, *args: Any) -> Row:
    """The only row of a statement that always returns one row, such as an aggregate. Raises LookupError if there is
    none."""
    row = await q.row(name, *args)
    if row is None:
        raise LookupError(f"{name} returned no row")
    return row


class Transaction(Queries):
    """Runs named queries on one connection, in one transaction. Inside `Database.lock`, each query commits alone."""

    def __init__(self, connection: Proxy) -> None:
        self._connection = connection

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """A block inside the transaction. An exception in the block rolls back only this block."""
        async with owner_forgotten_if_undone(self._connection), self._connection.transaction():
            yield

    @asynccontextmanager
    async def statement(self, name: str, args: tuple[Any, ...]) -> AsyncGenerator[Proxy]:
        yield await serving(self._connection, name, args)

    async def pages(self, name: str, size: int, *args: Any) -> AsyncGenerator[list[Row]]:
        """Yield a large result in lists of at most `size` rows. The caller must be inside a transaction."""
        cursor = await (await serving(self._connection, name, args)).cursor(query(name), *args)
        while page := await cursor.fetch(size):
            yield page


class Database(Queries):
    """Runs each named query on a connection of a pool. One pool serves single owners, the other works across owners."""

    def __init__(self, pool: Pool, workers: Pool, sessions: SessionPool | SinglePool) -> None:
        self._pool = pool
        self._workers = workers
        self._sessions = sessions

    def statement(self, name: str, args: tuple[Any, ...]) -> AbstractAsyncContextManager[Proxy]:
        return self._of(name).statement(name, args)

    def use(self) -> dict[str, PoolUse]:
        """The size and use of each pool, by the pool's purpose."""
        return {"calls": self._pool.use, "workers": self._workers.use, "sessions": self._sessions.use}

    def _of(self, name: str) -> Pool:
        return self._workers if reach(name) == "all owners" else self._pool

    @asynccontextmanager
    async def lock(self, key: int) -> AsyncGenerator[bool]:
        """Try to hold the session lock `key` during the block. Yields whether this session holds it."""
        async with self._sessions.session() as connection:
            session = Transaction(connection)
            held = bool(await session.value("locks.take", key))
            try:
                yield held
            finally:
                if held:
                    await session.value("locks.release", key)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        async with self._pool.transaction() as connection:
            yield Transaction(connection)

    async def notify(self, announcements: Sequence[tuple[str, str]]) -> None:
        """Announce changes after the commit. Announcing inside the transaction would serialize all commits."""
        async with self._pool.statement("notify.send", ()) as connection:
            await connection.executemany(query("notify.send"), announcements)

    async def return_unneeded(self) -> None:
        """Return connections to asyncpg if they were not needed since the last call of this method."""
        for pool in {self._pool, self._workers, self._sessions}:
            if isinstance(pool, SessionPool):
                await pool.return_unneeded()

    async def close(self) -> None:
        for pool in (self._pool, self._workers, self._sessions):
            await pool.close()


async def announce(q: Queries, channel: str) -> None:
    """Announce a change as part of its transaction. Such commits are serialized, so use this only for rare changes."""
    await q.run("notify.send", channel, "")


@asynccontextmanager
async def as_login(dsn: str) -> AsyncGenerator[Transaction]:
    """Runs named queries as the login that owns the tables. The server's roles may not read tokens and keys."""
    async with connected(dsn, connection_class=OwnedConnection) as connection:
        yield Transaction(connection)


@asynccontextmanager
async def one_transaction(dsn: str) -> AsyncGenerator[tuple[Any, Database]]:
    """Run one transaction as the login that owns the tables. Yields its connection and a `Database` with only this
    connection."""
    named = {"application_name": OwnedConnection.name, **SETTINGS}
    async with connected(dsn, connection_class=OwnedConnection, server_settings=named) as connection:
        await codecs(connection)
        async with connection.transaction():
            pool = SinglePool(connection)
            yield connection, Database(pool, pool, pool)


async def open_database(dsn: str, *, size: int = POOL_SIZE) -> Database:
    """Open the pools on a PostgreSQL that `dsn` reaches without a pooler."""
    return await open_routed(unpooled(dsn), size=size)


async def open_routed(route: Route, *, size: int = POOL_SIZE) -> Database:
    """Open the pools on `route`. Raises StorageRefused if row-level security does not apply to the pools' role."""
    if route.pooled:
        return await _open_borrowed(route, size)
    pool = await open_session_pool(route.address, SERVER_ROLE, SETTINGS, least=1, most=size)
    workers = await open_session_pool(route.address, WORKER_ROLE, SETTINGS, least=0, most=WORKERS)
    return await _proved(Database(pool, workers, pool), pool)


async def _open_borrowed(route: Route, size: int) -> Database:
    pool = await open_borrowed_pool(route.address, SERVER_ROLE, SETTINGS, named=route.named, least=1, most=size)
    workers = await open_borrowed_pool(route.address, WORKER_ROLE, SETTINGS, named=route.named, least=0, most=WORKERS)
    sessions = await open_session_pool(route.direct, SERVER_ROLE, SETTINGS, least=1, most=SESSIONS)
    return await _proved(Database(pool, workers, sessions), pool)


async def _proved(database: Database, pool: Pool) -> Database:
    async with AsyncExitStack() as stack:
        stack.push_async_callback(database.close)
        await prove_bound(pool)
        stack.pop_all()
    return database


def _touched(status: str) -> int:
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


def unzip(rows: Sequence[tuple[Any, ...]], width: int) -> tuple[list[Any], ...]:
    """The columns of the rows, for `unnest`. Without rows, returns `width` empty lists."""
    return tuple(list(column) for column in zip(*rows, strict=True)) if rows else tuple([] for _ in range(width))
