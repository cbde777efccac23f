"""The queries for texts that have no vector yet, and for switching to the vectors of a new model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final

from asyncpg import BitString
from pgvector import HalfVector

from tellonce_server.store import near_indexes
from tellonce_server.store.database import Database, Queries, Row, codecs, connected, unzip
from tellonce_sql import query

KINDS: Final = ("messages", "memories", "summaries")
_SINGULAR: Final = {"messages": "message", "memories": "memory", "summaries": "summary"}

BEGINNING: Final = (-(2**63), -(2**63), 0)
"""A position before every row of a kind."""

NewVector = tuple[int, int, int, int, HalfVector, BitString]
"""The owner, the chat (0 for a memory) and the number of a text, its version, its vector and the vector's code."""


@asynccontextmanager
async def session(dsn: str) -> AsyncGenerator[Any]:
    """A connection for changing the model. It uses the login that owns the tables, because the rows of all users are
    processed."""
    async with connected(dsn) as connection:
        await codecs(connection)
        yield connection


async def active(connection: Any) -> str | None:
    model: str | None = await connection.fetchval(query("embeddings.models"))
    return model


async def former(connection: Any) -> str | None:
    model: str | None = (await connection.fetchrow(query("embeddings.models")))["former"]
    return model


async def unembedded(q: Queries, kind: str, after: Sequence[int], limit: int) -> list[Row]:
    """Return the next texts of a kind that have no vector, in key order, after the row `after`."""
    return await q.rows(f"{kind}.unembedded", *after, limit)


async def set_embeddings(q: Queries, kind: str, rows: Sequence[NewVector]) -> None:
    """Store vectors of the active model."""
    await q.run(f"{kind}.set_embeddings", *unzip(rows, 6))


async def drop_others(connection: Any, model: str) -> None:
    """Delete the stored vectors of all other models."""
    await connection.execute(query("embeddings.drop_others"), model)


async def left(connection: Any, kind: str, model: str, after: Sequence[int], limit: int) -> list[Any]:
    """The next texts of a kind, in key order after the row `after`, that the model has not embedded."""
    rows: list[Any] = await connection.fetch(query(f"embeddings.{kind}_left"), model, *after, limit)
    return rows


async def keep(connection: Any, kind: str, model: str, rows: Sequence[NewVector]) -> None:
    """Store vectors of another model. The vectors of the active model stay."""
    await connection.execute(query("embeddings.keep"), model, _SINGULAR[kind], *unzip(rows, 6))


async def switch(connection: Any, model: str, now: datetime) -> None:
    """Replace the active vectors with the vectors of `model`, and keep the former vectors, in one transaction."""
    # The vector indexes are dropped first, because adding every new vector to them is slow. The indexes are rebuilt in
    # the background.
    for statement in await near_indexes.clearing(connection):
        await connection.execute(statement)
    async with connection.transaction():
        before = await active(connection)
        if before == model:
            return
        await connection.execute(query("embeddings.activate"), model, now)
        for kind in KINDS:
            if before is not None:
                await connection.execute(query(f"embeddings.put_away_{kind}"), before)
            await connection.execute(query(f"embeddings.take_{kind}"), model)
        await connection.execute(query("embeddings.drop_taken"), model)


async def settle(database: Database, model: str, now: datetime) -> str:
    """The active model. If there is no active model yet, `model` becomes the active model."""
    await database.run("embeddings.settle", model, now)
    models = await database.row("embeddings.models")
    assert models is not None  # the table always has exactly one row
    name: str = models["active"]
    return name
