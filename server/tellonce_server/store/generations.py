"""The rows of a change of the embedding model: what is left to embed, vectors kept beside the old ones, the switch."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final

import asyncpg

from tellonce_server.store import near_indexes
from tellonce_server.store.database import Database, codecs, unzip
from tellonce_sql import query

KINDS: Final = ("messages", "memories", "summaries")
_SINGULAR: Final = {"messages": "message", "memories": "memory", "summaries": "summary"}

BEGINNING: Final = (-(2**63), -(2**63), 0)
"""Before every row of a kind."""


@asynccontextmanager
async def session(dsn: str) -> AsyncGenerator[Any]:
    """`dsn` logs in as the tables' owner: the work is on all owners' rows at once."""
    connection: Any = await asyncpg.connect(dsn)
    try:
        await codecs(connection)
        yield connection
    finally:
        await connection.close()


async def active(connection: Any) -> str | None:
    model: str | None = await connection.fetchval(query("embeddings.models"))
    return model


async def former(connection: Any) -> str | None:
    model: str | None = (await connection.fetchrow(query("embeddings.models")))["former"]
    return model


async def drop_others(connection: Any, model: str) -> None:
    """Drop the vectors kept for any other model than this."""
    await connection.execute(query("embeddings.drop_others"), model)


async def left(connection: Any, kind: str, model: str, after: Sequence[int], limit: int) -> list[Any]:
    """Texts of a kind that the model has not embedded, in their order, behind the row `after`."""
    rows: list[Any] = await connection.fetch(query(f"embeddings.{kind}_left"), model, *after, limit)
    return rows


async def keep(connection: Any, kind: str, model: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows of owner, chat, id, text's hash, vector and code."""
    await connection.execute(query("embeddings.keep"), model, _SINGULAR[kind], *unzip(rows, 6))


async def switch(connection: Any, model: str, now: datetime) -> None:
    """Put the active model's vectors away and this one's in their place, in one transaction."""
    # Indexes of vectors would take each new one singly; they are built anew in the background.
    await near_indexes.clear_all(connection)
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
    """The active model: of an empty memory this first one."""
    await database.run("embeddings.settle", model, now)
    models = await database.row("embeddings.models")
    assert models is not None  # the table has its one row from the start
    name: str = models["active"]
    return name
