"""Changes the model of all vectors while the memory is in use: new vectors are stored beside the old ones, and one
transaction switches.

Searches use the old model until the switch commits. A vector of the wrong model counts as none. The old vectors are
kept for a rollback until the next change begins.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final

import asyncpg

from tellonce_server.embedding.active import ActiveEmbedder
from tellonce_server.embedding.protocol import Embedder
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database, codecs, unzip
from tellonce_sql import query

BATCH: Final = 64
KINDS: Final = ("message", "memory", "summary")
_PLURAL: Final = {"message": "messages", "memory": "memories", "summary": "summaries"}
_FIRST: Final = (-(2**63), -(2**63), 0)

Progress = Callable[[int], None]
"""Called with the number of texts embedded since the last call."""


class NoWayBack(Exception):
    """There is no former model to return to; the text says so."""


class Generations:
    """Changes models. `dsn` logs in as the tables' owner, because the work covers all owners' rows."""

    def __init__(self, dsn: str, now: Callable[[], datetime]) -> None:
        self._dsn = dsn
        self._now = now

    async def change_to(self, embedder: Embedder, progress: Progress) -> int | None:
        """Embed all texts again and switch. Returns the number embedded now, or None if the model was already active.

        After an interruption, it continues.
        """
        async with self._connection() as connection:
            if await _active(connection) == embedder.model:
                return None
            await connection.execute(query("embeddings.drop_others"), embedder.model)
            count = 0
            for kind in KINDS:
                count += await self._prepare(connection, kind, embedder, progress)
            await self._switch(connection, embedder.model)
            return count

    async def go_back(self) -> str:
        """Switch back to the former model and return its name. Raises NoWayBack."""
        async with self._connection() as connection:
            models = await connection.fetchrow(query("embeddings.models"))
            former: str | None = models["former"]
            if former is None:
                raise NoWayBack("There was no other embedding model before this one.")
            await self._switch(connection, former)
            return former

    async def _prepare(self, connection: Any, kind: str, embedder: Embedder, progress: Progress) -> int:
        count, after = 0, _FIRST
        while True:
            rows = await connection.fetch(query(f"embeddings.{_PLURAL[kind]}_left"), embedder.model, *after, BATCH)
            if not rows:
                return count
            vectors = await embedder.embed([row["text"] for row in rows], urgent=False)
            kept = [
                (*row[:4], ModelVector(v, embedder.model), code(v, embedder.mean))
                for row, v in zip(rows, vectors, strict=True)
            ]
            await connection.execute(query("embeddings.keep"), embedder.model, kind, *unzip(kept, 6))
            after = (rows[-1]["owner_id"], rows[-1]["chat_id"], rows[-1]["id"])
            count += len(rows)
            progress(len(rows))

    async def _switch(self, connection: Any, model: str) -> None:
        # Vector indexes would insert each new vector singly, so they are rebuilt in the background.
        for row in await connection.fetch(query("near.all_of_them")):
            await connection.execute(row["clear"])
        async with connection.transaction():
            former = await _active(connection)
            if former == model:
                return
            await connection.execute(query("embeddings.activate"), model, self._now())
            for name in _PLURAL.values():
                if former is not None:
                    await connection.execute(query(f"embeddings.put_away_{name}"), former)
                await connection.execute(query(f"embeddings.take_{name}"), model)
            await connection.execute(query("embeddings.drop_taken"), model)

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[Any]:
        connection: Any = await asyncpg.connect(self._dsn)
        try:
            await codecs(connection)
            yield connection
        finally:
            await connection.close()


async def _active(connection: Any) -> str | None:
    model: str | None = await connection.fetchval(query("embeddings.models"))
    return model


async def follow(database: Database, embedder: ActiveEmbedder, now: datetime) -> None:
    """Make this process use the active model. In an empty memory, the first model becomes active."""
    if embedder.off:
        return
    await database.run("embeddings.settle", embedder.model, now)
    models = await database.row("embeddings.models")
    assert models is not None  # the table always has its one row
    embedder.follow(models["active"])
