"""Embeds, in the background, the texts that have no vector yet. One batch is written while the next is computed."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from tellonce_server.core.errors import AWAY
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable
from tellonce_server.store import generations
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database, Row, unzip

logger = logging.getLogger(__name__)

BATCH = 32
IN_A_ROW = 8
"""Maximum consecutive batches of one kind. After that, the next kind gets its turn."""

IDLE_SECONDS = 2.0

LOCK: Final = 0x63_68_61_74_65_6D_62_64
"""The key of the lock for embedding. Without this lock, all servers of a memory would embed the same texts."""

LOWEST = -(2**63)


@dataclass(frozen=True)
class _Kind:
    """A table with texts to embed. `key` names the columns that identify a row and by which the rows are sorted.
    `coded` means that a sign code (one bit per dimension, see `store/codes.py`) is stored with each vector."""

    name: str
    key: tuple[str, ...]
    text: Callable[[Row], str]
    coded: bool = False

    @property
    def start(self) -> tuple[int, ...]:
        return (*(LOWEST for _ in self.key[:-1]), 0)

    def place(self, row: Row) -> tuple[int, ...]:
        return tuple(row[column] for column in self.key)


def _said(row: Row) -> str:
    return f"{row['speaker']}: {row['content']}"


_KINDS = (
    _Kind("messages", ("owner_id", "chat_id", "id"), _said, coded=True),
    _Kind("memories", ("owner_id", "id"), itemgetter("content")),
    _Kind("summaries", ("owner_id", "chat_id", "id"), itemgetter("text")),
)


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
            except* (EmbeddingUnavailable, *AWAY) as troubles:
                logger.info("embedding is postponed: %s", troubles.exceptions[0])
            if not done:
                await asyncio.sleep(IDLE_SECONDS)

    async def work_once(self) -> int:
        """Embed some batches of each kind. Returns the number of texts; 0 if another server holds the lock."""
        async with self._database.lock(LOCK) as held:
            return sum([await self._some(kind) for kind in _KINDS]) if held else 0

    async def _some(self, kind: _Kind) -> int:
        count, after = 0, kind.start
        async with asyncio.TaskGroup() as writing:
            for _ in range(IN_A_ROW):
                rows = await generations.unembedded(self._database, kind.name, after, BATCH)
                if not rows:
                    break
                columns = await self._embedded(kind, rows)
                writing.create_task(generations.set_embeddings(self._database, kind.name, columns))
                count, after = count + len(rows), kind.place(rows[-1])
        return count

    async def _embedded(self, kind: _Kind, rows: Sequence[Row]) -> tuple[list[Any], ...]:
        """Return the columns to write: the keys and versions of the rows, the vectors, and the sign codes if this kind
        has sign codes."""
        model, mean = self._embedder.model, self._embedder.mean
        vectors = await self._embedder.embed([kind.text(row) for row in rows], urgent=False)
        written = [
            (*kind.place(row), row["version"], ModelVector(v, model), *((code(v, mean),) if kind.coded else ()))
            for row, v in zip(rows, vectors, strict=True)
        ]
        return unzip(written, len(kind.key) + 2 + kind.coded)
