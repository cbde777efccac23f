"""Chunk, thread and session summaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from tellonce.work import ChunkText, SummaryBody
from tellonce_server.core.scope import ChatId, MessageId, OwnerId, ThreadKey
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.named_queries import MaybeRow, Rows

Rolling = Literal["thread", "session"]


@dataclass(frozen=True)
class Summary:
    """A stored summary. `folded_to` is the number of the newest chunk that a thread or session summary includes."""

    id: int
    kind: str
    thread_key: str
    from_id: int
    to_id: int
    from_at: datetime
    to_at: datetime
    count: int
    text: str
    body: SummaryBody
    tokens: int
    provisional: bool
    model: str
    version: int
    folded_to: int | None

    def chunk_text(self) -> ChunkText:
        return ChunkText(text=self.text, body=self.body, from_at=self.from_at, to_at=self.to_at, count=self.count)


@dataclass(frozen=True)
class SummaryText:
    """A summary written by a worker or model, ready to be stored."""

    text: str
    body: SummaryBody
    tokens: int
    provisional: bool
    model: str
    index_text: str
    scope: Sequence[str]

    def values(self, now: datetime) -> tuple[object, ...]:
        """The last parameters of the queries that store a summary."""
        body, scope = self.body.model_dump(mode="json"), list(self.scope)
        return (self.text, body, self.tokens, self.provisional, self.model, now, scope, self.index_text)


def _summary(row: Row) -> Summary:
    values: dict[str, Any] = dict(row)
    values["body"] = SummaryBody.model_validate(values["body"])
    return Summary(**values)


async def add_chunk(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, from_id: int, to_id: int, new: SummaryText, now: datetime
) -> int | None:
    """Store a chunk summary and return its id; None if `from_id` is not the thread's first message without a chunk
    summary."""
    row = await q.row(
        "summaries.add_chunk",
        *(owner_id, chat_id, thread_key, from_id, to_id),
        *new.values(now),
    )
    return row["id"] if row is not None else None


async def rewrite_chunk(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, from_id: int, new: SummaryText, now: datetime
) -> int | None:
    """Replace the text of the chunk summary that begins at `from_id` and return its id; None if there is no such chunk
    summary."""
    row = await q.row(
        "summaries.rewrite_chunk",
        *(owner_id, chat_id, thread_key, from_id),
        *new.values(now),
    )
    return row["id"] if row is not None else None


async def put_rolling(
    q: Queries, owner_id: int, chat_id: int, kind: Rolling, thread_key: str, new: SummaryText, now: datetime
) -> None:
    """Store a thread or session summary, which covers all existing chunks of the epoch."""
    await q.run(
        "summaries.put_rolling",
        *(owner_id, chat_id, kind, thread_key),
        *new.values(now),
    )


rolling = MaybeRow[[OwnerId, ChatId, Rolling, ThreadKey], Summary]("summaries.rolling", _summary)
chunks = Rows[[OwnerId, ChatId], Summary]("summaries.chunks", _summary)
"""The chunks of all threads, oldest first."""


async def chunk_page(q: Queries, owner_id: int, chat_id: int, after: tuple[datetime, int], limit: int) -> list[Summary]:
    """Return a page of chunk summaries of all threads, newest first, after the chunk summary with the time and id in
    `after`."""
    return [_summary(row) for row in await q.rows("summaries.chunk_page", owner_id, chat_id, *after, limit)]


chunks_after = Rows[[OwnerId, ChatId, str | None, int, int], Summary]("summaries.chunks_after", _summary)
"""Return the newest chunk summaries after the id `after`, of one thread or of all threads, in the order of their
messages."""

of_message = MaybeRow[[OwnerId, ChatId, ThreadKey, int], Summary]("summaries.of_message", _summary)
chunk_range = MaybeRow[[OwnerId, ChatId, int], tuple[ThreadKey, MessageId, MessageId]]("summaries.chunk_range", tuple)
"""The thread, first message and last message that a chunk summary covers; None for other summaries."""
