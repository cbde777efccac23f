"""Embeds, in the background, the texts that have no vector yet. One batch is written while the next is computed."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from tellonce_server.core.errors import DATABASE_FAILURES
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable
from tellonce_server.store import embeddings, near_indexes
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database, Row
from tellonce_server.store.embeddings import NewVector

logger = logging.getLogger(__name__)

BATCH = 32
IN_A_ROW = 8
"""Maximum consecutive batches of one kind. After that, the next kind gets its turn."""

IDLE_SECONDS = 2.0

LOCK: Final = 0x63_68_61_74_65_6D_62_64
"""The key of the lock for embedding. Without this lock, all servers of a memory would embed the same texts."""


class EmbeddingBacklog:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def run(self) -> None:
        """Run until cancelled. If the model or the database is unavailable, retry later."""
        while True:
            done = 0
            try:
                done = await self.work_once() if self._embedder.ready else 0
            except* (EmbeddingUnavailable, *DATABASE_FAILURES) as troubles:
                logger.info("embedding is postponed: %s", troubles.exceptions[0])
            if not done:
                await asyncio.sleep(IDLE_SECONDS)

    async def work_once(self) -> int:
        """Embed some batches of each kind. Returns the number of texts; 0 if another server holds the lock."""
        async with self._database.lock(LOCK) as held:
            return sum([await self._some(kind) for kind in embeddings.KINDS]) if held else 0

    async def _some(self, kind: str) -> int:
        count, after = 0, embeddings.BEGINNING
        async with asyncio.TaskGroup() as writing:
            for _ in range(IN_A_ROW):
                rows = await embeddings.unembedded(self._database, kind, after, BATCH)
                if not rows:
                    break
                new = await embedded(self._embedder, rows)
                writing.create_task(embeddings.set_embeddings(self._database, kind, new))
                count, after = count + len(rows), new[-1][:3]
        return count


async def embed_again(database: Database, dsn: str) -> int:
    """Delete all vectors, so that the backlog computes them again. The login of `dsn` must own the tables. Returns the
    number of texts without a vector."""
    await embeddings.drop_all(database)
    await near_indexes.drop_all(dsn)
    return await embeddings.count_left(database)


async def embedded(embedder: Embedder, rows: Sequence[Row]) -> list[NewVector]:
    """The vectors and sign codes of these texts, with the key and version of each row."""
    model, mean = embedder.model, embedder.mean
    vectors = await embedder.embed([row["text"] for row in rows], urgent=False)
    return [(*row[:4], ModelVector(v, model), code(v, mean)) for row, v in zip(rows, vectors, strict=True)]
