"""Embeds what was stored without a vector, in the background and in small batches."""

import asyncio
import logging
from collections.abc import Sequence

import asyncpg

from chatmem_server.embedding.codes import code, halfvec
from chatmem_server.embedding.protocol import Embedder, EmbeddingUnavailable, Vector
from chatmem_server.store.database import Database, unzip

logger = logging.getLogger(__name__)

# A connection that a killed PostgreSQL cut in the middle of a statement ends in the last of these.
_AWAY = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

BATCH = 32
IDLE_SECONDS = 2.0


class EmbeddingBacklog:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def run(self) -> None:
        """Until cancelled. A model that is not there yet, or a database that is away, is asked again later."""
        while True:
            try:
                done = await self.work_once() if self._embedder.ready else 0
            except (EmbeddingUnavailable, *_AWAY) as error:
                logger.info("embedding put off: %s", error)
                done = 0
            if not done:
                await asyncio.sleep(IDLE_SECONDS)

    async def work_once(self) -> int:
        """One batch of each kind; how many texts were embedded."""
        return await self._messages() + await self._memories() + await self._summaries()

    async def _messages(self) -> int:
        lowest = -(2**63)
        rows = await self._database.rows("messages.unembedded", lowest, lowest, 0, BATCH)
        model, vectors = await self._embed([f"{row['speaker']}: {row['content']}" for row in rows])
        coded = [
            (
                row["owner_id"],
                row["chat_id"],
                row["id"],
                row["version"],
                halfvec(v, model),
                code(v, self._embedder.mean),
            )
            for row, v in zip(rows, vectors, strict=True)
        ]
        await self._database.run("messages.set_embeddings", *unzip(coded, 6))
        return len(rows)

    async def _memories(self) -> int:
        rows = await self._database.rows("memories.unembedded", -(2**63), 0, BATCH)
        model, vectors = await self._embed([row["content"] for row in rows])
        coded = [(r["owner_id"], r["id"], r["version"], halfvec(v, model)) for r, v in zip(rows, vectors, strict=True)]
        await self._database.run("memories.set_embeddings", *unzip(coded, 4))
        return len(rows)

    async def _summaries(self) -> int:
        lowest = -(2**63)
        rows = await self._database.rows("summaries.unembedded", lowest, lowest, 0, BATCH)
        model, vectors = await self._embed([row["text"] for row in rows])
        coded = [
            (r["owner_id"], r["chat_id"], r["id"], r["version"], halfvec(v, model))
            for r, v in zip(rows, vectors, strict=True)
        ]
        await self._database.run("summaries.set_embeddings", *unzip(coded, 5))
        return len(rows)

    async def _embed(self, texts: Sequence[str]) -> tuple[str, list[Vector]]:
        """Who embedded, and what came of it."""
        model = self._embedder.model
        return model, await self._embedder.embed(texts, urgent=False) if texts else []
