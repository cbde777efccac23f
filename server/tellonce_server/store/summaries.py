"""Chunk, thread and session summaries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tellonce.work import Rolling, SummaryBody
from tellonce_server.core.scope import ChatId, MessageId, OwnerId, ThreadKey
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.named_queries import MaybeRow, Rows
from tellonce_server.store.queue import Job


@dataclass(frozen=True)
class Summary:
    """A stored summary. `folded_to` is the newest chunk that a thread or session summary includes."""

    id: int
    thread_key: str
    from_id: int
    to_id: int
    from_at: datetime
    to_at: datetime
    count: int
    text: str
    body: SummaryBody
    provisional: bool
    folded_to: int | None


@dataclass(frozen=True)
class SummaryText:
    """The result of a job, ready to be stored as a summary."""

    job: Job
    text: str
    body: SummaryBody
    tokens: int
    index_text: str

    def values(self, now: datetime) -> tuple[object, ...]:
        """The last parameters of the queries that store a summary."""
        body, job = self.body.model_dump(mode="json"), self.job
        return (self.text, body, self.tokens, job.provisional, job.model or "", now, self.index_text)


def _summary(row: Row) -> Summary:
    values: dict[str, Any] = dict(row)
    values["body"] = SummaryBody.model_validate(values["body"])
    return Summary(**values)


async def add_chunk(q: Queries, new: SummaryText, now: datetime) -> int | None:
    """Store a chunk summary and return its id; None if its job does not continue the thread's summaries."""
    job = new.job
    place = (*job.key.chat, job.thread_key, job.from_id, job.to_id)
    number: int | None = await q.value("summaries.add_chunk", *place, *new.values(now))
    return number


async def rewrite_chunk(q: Queries, new: SummaryText, now: datetime) -> int | None:
    """Replace the text of the chunk summary that begins with the job's first message. Returns its id, or None."""
    place = (*new.job.key.chat, new.job.thread_key, new.job.from_id)
    number: int | None = await q.value("summaries.rewrite_chunk", *place, *new.values(now))
    return number


async def put_rolling(q: Queries, kind: Rolling, new: SummaryText, now: datetime) -> None:
    """Store a thread or session summary, which covers all existing chunks of the epoch."""
    await q.run("summaries.put_rolling", *new.job.key.chat, kind, new.job.thread_key, *new.values(now))


rolling = MaybeRow[[OwnerId, ChatId, Rolling, ThreadKey], Summary]("summaries.rolling", _summary)
chunks = Rows[[OwnerId, ChatId], Summary]("summaries.chunks", _summary)
chunk_page = Rows[[OwnerId, ChatId, datetime, int, int], Summary]("summaries.chunk_page", _summary)
chunks_after = Rows[[OwnerId, ChatId, str | None, int, int], Summary]("summaries.chunks_after", _summary)
of_message = MaybeRow[[OwnerId, ChatId, ThreadKey, int], Summary]("summaries.of_message", _summary)
chunk_range = MaybeRow[[OwnerId, ChatId, int], tuple[ThreadKey, MessageId, MessageId]]("summaries.chunk_range", tuple)
