"""Named queries on pools of prepared connections, or inside one transaction; knows names, not tables.

Whose rows a statement may touch is held twice: by its own `owner_id = $1`, and by row-level security, for which every
connection carries the owner it works for. A connection that changes owners pays one round trip, others nothing.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from pydantic_core import to_json

from chatmem_server.embedding.codes import Halfvec
from chatmem_sql import query, reach

Row = asyncpg.Record

POOL_SIZE = 12
WORKERS = 3

SERVER_ROLE = "chatmem_server"
"""Sees the rows of the connection's owner; owns nothing."""

WORKER_ROLE = "chatmem_worker"
"""Serves all owners: the queue, the embedder, the ledger. Sees only the columns these need."""

ACT_FOR = "select set_config('chatmem.owner', $1, false)"
BRING_FROM = "select set_config('chatmem.model', $1, false)"


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


class OwnedConnection(asyncpg.Connection):
    """A connection that knows for which owner its session works, and which model made the vectors it brings."""

    _owner: int | None = None
    _model: str | None = None

    async def serve(self, name: str, args: tuple[Any, ...]) -> None:
        """Before the statement `name`: its first argument is the owner, unless it has none."""
        if reach(name) == "owner" and self._owner != args[0]:
            self._owner = None
            await self.fetchval(ACT_FOR, str(args[0]))
            self._owner = args[0]
        model = _maker(args)
        if model is not None and self._model != model:
            self._model = None
            await self.fetchval(BRING_FROM, model)
            self._model = model

    def forget_owner(self) -> None:
        """After a rollback, which takes the session's settings back as well."""
        self._owner = self._model = None


def _maker(args: tuple[Any, ...]) -> str | None:
    """The model that made the vectors among the arguments, or in a column of them."""
    for arg in args:
        found = arg[0] if isinstance(arg, list) and arg else arg
        if isinstance(found, Halfvec):
            return found.model
    return None


Proxy: TypeAlias = "PoolConnectionProxy[Row]"


class Transaction:
    """Named queries on one connection, of one owner or of several in turn: in one transaction, or each by itself (`session`)."""

    def __init__(self, connection: Proxy) -> None:
        self._connection = connection

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """What is done inside is undone by an exception, the rest of the transaction stays."""
        async with _owner_forgotten_if_undone(self._connection), self._connection.transaction():
            yield

    async def rows(self, name: str, *args: Any) -> list[Row]:
        return await (await _serving(self._connection, name, args)).fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        return await (await _serving(self._connection, name, args)).fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        return await (await _serving(self._connection, name, args)).fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        return _touched(await (await _serving(self._connection, name, args)).execute(query(name), *args))

    async def pages(self, name: str, size: int, *args: Any) -> AsyncGenerator[list[Row]]:
        """The rows of a long answer, so many at a time; only inside a transaction."""
        cursor = await (await _serving(self._connection, name, args)).cursor(query(name), *args)
        while page := await cursor.fetch(size):
            yield page


class Database:
    """Named queries, each on a connection of its own: for one owner from one pool, across owners from another."""

    def __init__(self, pool: "asyncpg.Pool[Row]", workers: "asyncpg.Pool[Row]") -> None:
        self._pool = pool
        self._workers = workers

    async def rows(self, name: str, *args: Any) -> list[Row]:
        async with self._connection(name, args) as connection:
            return await connection.fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        async with self._connection(name, args) as connection:
            return await connection.fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        async with self._connection(name, args) as connection:
            return await connection.fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        async with self._connection(name, args) as connection:
            return _touched(await connection.execute(query(name), *args))

    @asynccontextmanager
    async def _connection(self, name: str, args: tuple[Any, ...]) -> AsyncGenerator[Proxy]:
        pool = self._workers if reach(name) == "all owners" else self._pool
        async with pool.acquire() as connection:
            yield await _serving(connection, name, args)

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Transaction]:
        """Named queries on one connection, each committed at once: what is locked for the session stays locked meanwhile."""
        async with self._pool.acquire() as connection:
            yield Transaction(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        async with self._pool.acquire() as connection, _owner_forgotten_if_undone(connection), connection.transaction():
            yield Transaction(connection)

    async def notify(self, announcements: Sequence[tuple[str, str]]) -> None:
        """Announce what is already committed: inside its transaction a notification would serialise all commits."""
        await self._pool.executemany(query("notify.send"), announcements)

    async def close(self) -> None:
        await self._pool.close()
        await self._workers.close()


async def open_database(dsn: str, *, size: int = POOL_SIZE, durable: bool = True) -> Database:
    """Pools on `dsn`. `durable=False` is for rows whose loss in a power cut nobody would miss (receipts)."""
    settings = {
        "application_name": "chatmem",
        "jit": "off",
        "plan_cache_mode": "force_generic_plan",
        "max_parallel_workers_per_gather": "0",
        "synchronous_commit": "on" if durable else "off",
    }
    pool = await _pool(dsn, {**settings, "role": SERVER_ROLE}, least=1, most=size)
    return Database(pool, await _pool(dsn, {**settings, "role": WORKER_ROLE}, least=0, most=WORKERS))


async def _pool(dsn: str, settings: dict[str, str], *, least: int, most: int) -> "asyncpg.Pool[Row]":
    return await asyncpg.create_pool(
        dsn,
        min_size=least,
        max_size=most,
        init=codecs,
        reset=_keep,
        connection_class=OwnedConnection,
        server_settings=settings,
        max_cached_statement_lifetime=0,
        statement_cache_size=300,
    )


async def _serving(connection: Proxy, name: str, args: tuple[Any, ...]) -> Proxy:
    owned: OwnedConnection = connection  # type: ignore[assignment]  # the pool makes these, and its proxy passes all on
    await owned.serve(name, args)
    return connection


@asynccontextmanager
async def _owner_forgotten_if_undone(connection: Proxy) -> AsyncGenerator[None]:
    owned: OwnedConnection = connection  # type: ignore[assignment]  # as above
    # Taken now: the proxy of a connection that was cut has nothing to pass on to.
    forget_owner = owned.forget_owner
    finished = False
    try:
        yield
        finished = True
    finally:
        if not finished:
            forget_owner()


async def codecs(connection: "asyncpg.Connection[Row]") -> None:
    """How jsonb and vectors travel."""
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=_dump, decoder=json.loads)
    # A halfvec travels in pgvector's own binary form: the embedding room makes and reads it.
    await connection.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")


async def _keep(connection: Any) -> None:
    """No reset between uses: the owner is the only session state, and a reset costs 0.2-0.9 ms a query."""


def _dump(value: Any) -> str:
    return to_json(value).decode()


def _touched(status: str) -> int:
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


def unzip(rows: Sequence[tuple[Any, ...]], width: int) -> tuple[list[Any], ...]:
    """Columns of rows, for `unnest`; `width` empty lists when there is no row."""
    return tuple(list(column) for column in zip(*rows, strict=True)) if rows else tuple([] for _ in range(width))
