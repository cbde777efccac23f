"""The queries for texts that have no vector yet."""

from collections.abc import Sequence
from typing import Final

from asyncpg import BitString
from pgvector import HalfVector

from tellonce_server.store.database import Queries, Row, unzip
from tellonce_server.store.named_queries import Run, Value

KINDS: Final = ("messages", "memories", "summaries")

BEGINNING: Final = (-(2**63), -(2**63), 0)
"""A position before the first row of any kind."""

NewVector = tuple[int, int, int, int, HalfVector, BitString]
"""The vector of one text: owner, chat (0 for a memory), number and version of the text, the vector, and its code."""


async def unembedded(q: Queries, kind: str, after: Sequence[int], limit: int) -> list[Row]:
    """Return the next texts of a kind that have no vector, in key order, after the row `after`."""
    return await q.rows(f"{kind}.unembedded", *after, limit)


async def set_embeddings(q: Queries, kind: str, rows: Sequence[NewVector]) -> None:
    """Store vectors of the active model."""
    await q.run(f"{kind}.set_embeddings", *unzip(rows, 6))


count_left = Value[[], int]("embeddings.count_left")
drop_all = Run[[]]("embeddings.drop_all")
