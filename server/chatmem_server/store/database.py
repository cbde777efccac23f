"""Named queries on a pool of prepared connections, or inside one transaction; knows names, not tables."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from chatmem_sql import query

Row = asyncpg.Record

POOL_SIZE = 12


class Queries(Protocol):
    """What a store coroutine needs: the pool, or one transaction."""

    async def rows(self, name: str, *args: Any) -> list[Row]: ...

    async def row(self, name: str, *args: Any) -> Row | None: ...

    async def value(self, name: str, *args: Any) -> Any: ...

    async def run(self, name: str, *args: Any) -> int:
        """How many rows the statement touched."""
        ...


class Transaction:
    """Named queries on one connection inside one transaction."""

    def __init__(self, connection: "PoolConnectionProxy[Row]") -> None:
        self._connection = connection

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """What is done inside is undone by an exception, the rest of the transaction stays."""
        async with self._connection.transaction():
            yield

    async def rows(self, name: str, *args: Any) -> list[Row]:
        return await self._connection.fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        return await self._connection.fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        return await self._connection.fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        return _touched(await self._connection.execute(query(name), *args))


class Database:
    """Named queries, each on a connection of its own from the pool."""

    def __init__(self, pool: "asyncpg.Pool[Row]") -> None:
        self._pool = pool

    @property
    def pool(self) -> "asyncpg.Pool[Row]":
        return self._pool

    async def rows(self, name: str, *args: Any) -> list[Row]:
        return await self._pool.fetch(query(name), *args)

    async def row(self, name: str, *args: Any) -> Row | None:
        return await self._pool.fetchrow(query(name), *args)

    async def value(self, name: str, *args: Any) -> Any:
        return await self._pool.fetchval(query(name), *args)

    async def run(self, name: str, *args: Any) -> int:
        return _touched(await self._pool.execute(query(name), *args))

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        async with self._pool.acquire() as connection, connection.transaction():
            yield Transaction(connection)

    async def notify(self, announcements: Sequence[tuple[str, str]]) -> None:
        """Announce what is already committed: inside its transaction a notification would serialise all commits."""
        await self._pool.executemany(query("notify.send"), announcements)

    async def close(self) -> None:
        await self._pool.close()


async def open_database(dsn: str, *, size: int = POOL_SIZE, durable: bool = True) -> Database:
    """A pool on `dsn`. `durable=False` is for rows whose loss in a power cut nobody would miss (receipts)."""
    settings = {
        "application_name": "chatmem",
        "jit": "off",
        "plan_cache_mode": "force_generic_plan",
        "max_parallel_workers_per_gather": "0",
        "synchronous_commit": "on" if durable else "off",
    }
    pool = await asyncpg.create_pool(
        dsn,
        min_size=1,
        max_size=size,
        init=_codecs,
        reset=_keep,
        server_settings=settings,
        max_cached_statement_lifetime=0,
        statement_cache_size=300,
    )
    return Database(pool)


async def _codecs(connection: "asyncpg.Connection[Row]") -> None:
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=_dump, decoder=json.loads)
    # A halfvec travels in pgvector's own binary form: the embedding room makes and reads it.
    await connection.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")


async def _keep(connection: Any) -> None:
    """No reset between uses: nothing sets session state, and a reset costs 0.2-0.9 ms a query."""


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _touched(status: str) -> int:
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


def unzip(rows: Sequence[tuple[Any, ...]], width: int) -> tuple[list[Any], ...]:
    """Columns of rows, for `unnest`; `width` empty lists when there is no row."""
    return tuple(list(column) for column in zip(*rows, strict=True)) if rows else tuple([] for _ in range(width))
