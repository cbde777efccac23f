"""Named queries on pools of prepared connections, or inside one transaction; knows names, not tables.

Whose rows a statement may touch is held twice: by its own `owner_id = $1`, and by row-level security, for which every
connection carries the owner it works for (`pools`).
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol

import asyncpg

from tellonce_server.store.pools import (
    OwnedConnection,
    Pool,
    PoolUse,
    Proxy,
    Row,
    SessionPool,
    Settings,
    codecs,
    open_borrowed_pool,
    open_session_pool,
    owner_forgotten_if_undone,
    prove_bound,
    serving,
)
from tellonce_server.store.route import Route, unpooled
from tellonce_sql import query, reach

__all__ = [
    "POOL_SIZE",
    "SERVER_ROLE",
    "WORKER_ROLE",
    "Database",
    "Queries",
    "Row",
    "Transaction",
    "as_login",
    "codecs",
    "one",
    "open_database",
    "open_routed",
    "unzip",
]

POOL_SIZE = 12
WORKERS = 3
SESSIONS = 2
"""Direct connections kept beside a pooler's, for locks."""

SERVER_ROLE = "chatmem_server"
"""Sees the rows of the connection's owner; owns nothing."""

WORKER_ROLE = "chatmem_worker"
"""Serves all owners: the queue, the embedder, the ledger. Sees only the columns these need."""

SETTINGS = {"jit": "off", "plan_cache_mode": "force_generic_plan", "max_parallel_workers_per_gather": "0"}


class Queries(Protocol):
    """What a store coroutine needs: the pool, or one transaction."""

    async def rows(self, name: str, *args: Any) -> list[Row]: ...

    async def row(self, name: str, *args: Any) -> Row | None: ...

    async def value(self, name: str, *args: Any) -> Any: ...

    async def run(self, name: str, *args: Any) -> int:
        """How many rows the statement touched."""
        ...


async def one(q: Queries, name: str, *args: Any) -> Row:
    """The row of a statement that always gives one: an aggregate, an upsert, an insert that else raises."""
    row = await q.row(name, *args)
    if row is None:
        raise LookupError(f"{name} gave no row")
    return row


class Transaction:
    """Named queries on one connection, of one owner or of several in turn: in one transaction, or each by itself (`session`)."""

    def __init__(self, connection: Proxy) -> None:
        self._connection = connection

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """What is done inside is undone by an exception, the rest of the transaction stays."""
        async with owner_forgotten_if_undone(self._connection), self._connection.transaction():
            yield

    async def rows(self, name: str, *args: Any) -> list[Row]:
        return await (await serving(self._connection, name, args)).fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        return await (await serving(self._connection, name, args)).fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        return await (await serving(self._connection, name, args)).fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        return _touched(await (await serving(self._connection, name, args)).execute(query(name), *args))

    async def pages(self, name: str, size: int, *args: Any) -> AsyncGenerator[list[Row]]:
        """The rows of a long answer, so many at a time; only inside a transaction."""
        cursor = await (await serving(self._connection, name, args)).cursor(query(name), *args)
        while page := await cursor.fetch(size):
            yield page


class Database:
    """Named queries, each on a connection of its own: for one owner from one pool, across owners from another."""

    def __init__(self, pool: Pool, workers: Pool, sessions: SessionPool) -> None:
        self._pool = pool
        self._workers = workers
        self._sessions = sessions

    async def rows(self, name: str, *args: Any) -> list[Row]:
        async with self._of(name).statement(name, args) as connection:
            return await connection.fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        async with self._of(name).statement(name, args) as connection:
            return await connection.fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        async with self._of(name).statement(name, args) as connection:
            return await connection.fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        async with self._of(name).statement(name, args) as connection:
            return _touched(await connection.execute(query(name), *args))

    def use(self) -> dict[str, PoolUse]:
        """The connections, by what they serve."""
        return {"calls": self._pool.use, "workers": self._workers.use, "sessions": self._sessions.use}

    def _of(self, name: str) -> Pool:
        return self._workers if reach(name) == "all owners" else self._pool

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Transaction]:
        """Named queries on one connection, each committed at once: what is locked for the session stays locked meanwhile."""
        async with self._sessions.session() as connection:
            yield Transaction(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        async with self._pool.transaction() as connection:
            yield Transaction(connection)

    async def notify(self, announcements: Sequence[tuple[str, str]]) -> None:
        """Announce what is already committed: inside its transaction a notification would serialise all commits."""
        async with self._pool.statement("notify.send", ()) as connection:
            await connection.executemany(query("notify.send"), announcements)

    async def close(self) -> None:
        for pool in (self._pool, self._workers, self._sessions):
            await pool.close()


@asynccontextmanager
async def as_login(dsn: str) -> AsyncGenerator[Transaction]:
    """Named queries as the login itself, which owns the tables: for access and keys, which the server's roles cannot reach."""
    connection: Any = await asyncpg.connect(dsn, connection_class=OwnedConnection)
    try:
        yield Transaction(connection)
    finally:
        await connection.close()


async def open_database(dsn: str, *, size: int = POOL_SIZE, durable: bool = True) -> Database:
    """Pools on a PostgreSQL that is reached directly."""
    return await open_routed(unpooled(dsn), size=size, durable=durable)


async def open_routed(route: Route, *, size: int = POOL_SIZE, durable: bool = True) -> Database:
    """Pools on `route`. `durable=False` is for rows whose loss in a power cut nobody would miss (receipts).

    Raises:
        StorageRefused: when row-level security does not bind what they do.
    """
    settings = {**SETTINGS, "synchronous_commit": "on" if durable else "off"}
    if route.pooled:
        return await _open_borrowed(route, settings, size)
    pool = await open_session_pool(route.address, SERVER_ROLE, settings, least=1, most=size)
    workers = await open_session_pool(route.address, WORKER_ROLE, settings, least=0, most=WORKERS)
    return await _proved(Database(pool, workers, pool), pool)


async def _open_borrowed(route: Route, settings: Settings, size: int) -> Database:
    pool = await open_borrowed_pool(route.address, SERVER_ROLE, settings, named=route.named, least=1, most=size)
    workers = await open_borrowed_pool(route.address, WORKER_ROLE, settings, named=route.named, least=0, most=WORKERS)
    sessions = await open_session_pool(route.direct, SERVER_ROLE, settings, least=1, most=SESSIONS)
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
    """Columns of rows, for `unnest`; `width` empty lists when there is no row."""
    return tuple(list(column) for column in zip(*rows, strict=True)) if rows else tuple([] for _ in range(width))
