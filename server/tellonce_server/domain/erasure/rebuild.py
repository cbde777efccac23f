"""Queues jobs that rewrite derived texts after sentences were removed. Until then, the shortened texts are used."""

from datetime import datetime

from tellonce.work import WRITERS, JobKind
from tellonce_server.store import messages, queue, summaries
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import Job, NewJob
from tellonce_server.store.texts import ARCHIVED, TextRow

_REBUILD = "anew:"
_NEWEST = 12
"""The number of newest messages in which the last exchange of a chat is searched for."""


def ignores_former_text(job: Job) -> bool:
    """Whether the job writes a rolling summary from chunk summaries alone, without its former text."""
    return job.redo or job.dedup_key.startswith(_REBUILD)


async def queue_summary(q: Queries, owner_id: int, row: TextRow, now: datetime) -> JobKind | None:
    chat = row.chat_id or 0
    kind = WRITERS.get(row.subject)
    if kind is not None:
        return await queue_rolling(q, owner_id, chat, kind, row.thread_key, now)
    covered = await summaries.chunk_range(q, owner_id, chat, row.id)
    return await queue_chunk(q, owner_id, chat, *covered, now) if covered is not None else None


async def queue_chunk(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, from_id: int, to_id: int, now: datetime
) -> JobKind:
    """Queue the rewriting of the chunk summary of these messages."""
    return await _queue(q, NewJob(owner_id, chat_id, "erasure", thread_key, f"erasure:{from_id}", from_id, to_id, now))


async def queue_rolling(
    q: Queries, owner_id: int, chat_id: int, kind: JobKind, thread_key: str, now: datetime
) -> JobKind:
    """Queue the rewriting of a rolling summary. `thread_key` is a thread's key or the chat's `session_thread`."""
    return await _queue(q, NewJob(owner_id, chat_id, kind, thread_key, f"{_REBUILD}{thread_key}", 0, 0, now))


async def queue_canonical(q: Queries, owner_id: int, row: TextRow, now: datetime) -> JobKind | None:
    """Queue the last exchange of the chat again, because exchanges update the current canonical summary."""
    if row.subject == ARCHIVED:
        return None
    chat = row.chat_id or 0
    newest = await messages.page(q, owner_id, chat, messages.NEWEST, _NEWEST)
    asked = next((line.id for line in newest if line.role == "user"), None)
    found = await messages.by_id(q, owner_id, chat, asked) if asked is not None else None
    if found is None:
        return None
    span = (found.id, newest[0].id)
    return await _queue(q, NewJob(owner_id, chat, "exchange", found.thread_key, f"{_REBUILD}{chat}", *span, now))


async def _queue(q: Queries, job: NewJob) -> JobKind:
    await queue.enqueue(q, job, job.not_before)
    return job.kind
