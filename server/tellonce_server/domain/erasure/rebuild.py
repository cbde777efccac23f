"""Queues jobs that rewrite derived texts from which sentences were removed. Until these jobs are done, the shortened
texts are used."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from tellonce.contract import JobKind
from tellonce_server.store import derived, messages, queue, threads
from tellonce_server.store.database import Queries
from tellonce_server.store.forget import TextPlace, TextRow
from tellonce_server.store.queue import Job, NewJob

_REBUILD = "anew:"
_NEWEST = 12
"""Number of newest messages that are searched for a chat's last exchange."""


Counted = Literal[
    "messages", "memories", "sentences", "tombstones", "context_receipts", "conversation_summaries", "chat_metadata",
    "user_profile", "former_lines", "thread_state", "chat_context_queue", "model_calls", "routine_summaries",
    "message_versions", "memory_quotes", "memory_versions", "conversation_names",
]  # fmt: skip
"""What a preview and an erasure count. The page has a name for each in every language."""
_TABLES: Final[dict[TextPlace, Counted]] = {
    "summary": "conversation_summaries",
    "canonical": "chat_metadata",
    "profile": "user_profile",
    "former": "former_lines",
    "slot": "thread_state",
    "job": "chat_context_queue",
    "model_call": "model_calls",
    "message": "routine_summaries",
    "message_version": "message_versions",
    "memory": "memory_quotes",
    "memory_version": "memory_versions",
    "chat": "conversation_names",
    "thread": "conversation_names",
}


@dataclass
class Cleaned:
    """The number of changed texts of each kind, and the texts that must be rewritten: chunk summaries by (chat,
    number), rolling summaries by (chat, thread), and canonical summaries by chat."""

    counts: dict[Counted, int] = field(default_factory=dict)
    chunks: list[tuple[int, int]] = field(default_factory=list)
    rolling: list[tuple[int, str]] = field(default_factory=list)
    canonicals: list[int] = field(default_factory=list)

    def note(self, row: TextRow) -> None:
        """Note that one text was changed."""
        table = table_of(row.place)
        self.counts[table] = self.counts.get(table, 0) + 1
        chat = row.chat_id or 0
        match row.place:
            case "summary" if row.subject == "chunk":
                self.chunks.append((chat, row.id))
            case "summary":
                self.rolling.append((chat, row.thread_key))
            case "canonical" if row.subject == "live":
                self.canonicals.append(chat)
            case "canonical" | "profile" | "former" | "slot" | "job" | "model_call":
                pass
            case "message" | "message_version" | "memory" | "memory_version" | "chat" | "thread":
                pass


def table_of(place: TextPlace) -> Counted:
    """The table name under which changed texts of this place are counted."""
    return _TABLES[place]


def ignores_former_text(job: Job) -> bool:
    """Whether the job is to make a rolling summary from its chunks alone, without the summary's former text."""
    return job.redo or job.dedup_key.startswith(_REBUILD)


async def queue_rebuild(q: Queries, owner_id: int, cleaned: Cleaned, now: datetime) -> list[JobKind]:
    """Queue a job for every text that lost sentences. Chunk summaries come first, because rolling summaries are made
    from them."""
    for chat_id, number in cleaned.chunks:
        await _queue_chunk(q, owner_id, chat_id, number, now)
    for chat_id, thread in cleaned.rolling:
        await queue_rolling_rebuild(q, owner_id, chat_id, thread, now)
    for chat_id in cleaned.canonicals:
        await _queue_canonical(q, owner_id, chat_id, now)
    changed: tuple[tuple[JobKind, bool], ...] = (
        ("erasure", bool(cleaned.chunks)),
        ("thread_summary", bool(cleaned.rolling)),
        ("exchange", bool(cleaned.canonicals)),
    )
    return [kind for kind, any_of_it in changed if any_of_it]


async def queue_chunk(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, from_id: int, to_id: int, now: datetime
) -> None:
    """Queue the rewriting of the chunk summary of these messages."""
    job = NewJob(owner_id, chat_id, "erasure", thread_key, f"erasure:{from_id}", from_id, to_id, now)
    await queue.enqueue(q, job, now)


async def queue_rolling_rebuild(q: Queries, owner_id: int, chat_id: int, thread_key: str, now: datetime) -> None:
    """Queue a rolling summary. `thread_key` is a thread's key or the chat's `session_thread`."""
    job = NewJob(owner_id, chat_id, "thread_summary", thread_key, f"{_REBUILD}{thread_key}", 0, 0, now)
    await queue.enqueue(q, job, now)


async def queue_profile(q: Queries, owner_id: int, chat_id: int, now: datetime) -> None:
    """Queue the rewriting of the profile's narrative. The job belongs to the chat from which the request came."""
    of_chat = await threads.of_chat(q, owner_id, chat_id)
    key = of_chat[0].thread_key if of_chat else ""
    await queue.enqueue(q, NewJob(owner_id, chat_id, "profile", key, "profile", 0, 0, now), now)


async def _queue_chunk(q: Queries, owner_id: int, chat_id: int, number: int, now: datetime) -> None:
    covered = await derived.chunk_range(q, owner_id, chat_id, number)
    if covered is not None:
        await queue_chunk(q, owner_id, chat_id, *covered, now)


async def _queue_canonical(q: Queries, owner_id: int, chat_id: int, now: datetime) -> None:
    """Queue the last exchange of the chat again, because exchanges update the canonical summary."""
    newest = await messages.page(q, owner_id, chat_id, messages.NEWEST, _NEWEST)
    asked = next((line.id for line in newest if line.role == "user"), None)
    found = await messages.by_id(q, owner_id, chat_id, asked) if asked is not None else None
    if found is not None:
        job = NewJob(
            owner_id, chat_id, "exchange", found.thread_key, f"{_REBUILD}{chat_id}", found.id, newest[0].id, now
        )
        await queue.enqueue(q, job, now)
