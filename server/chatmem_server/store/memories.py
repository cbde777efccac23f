"""Memories: typed statements about the user, with their history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from chatmem.contract import Memory, MemoryKind, MemoryOrigin, MemoryStatus
from chatmem_server.store.database import Queries, Row, one
from chatmem_server.store.messages import TextVersion

_FIELDS = frozenset(Memory.model_fields) - {"scope", "sources"}


@dataclass(frozen=True)
class NewMemory:
    """A statement about to be known."""

    owner_id: int
    chat_id: int | None
    source_chat_id: int
    kind: MemoryKind
    status: MemoryStatus
    content: str
    quote: str | None
    confidence: float
    priority: int
    importance: float
    pinned: bool
    deadline: datetime | None
    valid_from: datetime
    origin: MemoryOrigin
    user_confirmed: bool
    source_ids: Sequence[int]
    model: str | None


@dataclass(frozen=True)
class Near:
    """A live memory that may say the same. `cosine` is None where one of the two has no embedding."""

    memory: Memory
    cosine: float | None


@dataclass(frozen=True)
class Known:
    """What a worker is told of a live memory."""

    id: int
    kind: MemoryKind
    content: str
    status: Literal["active", "uncertain"]
    user_confirmed: bool
    pinned: bool


async def add(
    q: Queries, m: NewMemory, now: datetime, *, index_text: str, scope: Sequence[str], embedding: bytes | None
) -> Memory:
    row = await one(
        q,
        "memories.add",
        *(m.owner_id, m.chat_id, m.kind, m.status, m.content, m.quote, m.confidence, m.priority, m.importance),
        *(m.pinned, m.deadline, m.valid_from, m.origin, m.user_confirmed, m.source_chat_id, list(m.source_ids)),
        *(m.model, now, index_text, list(scope), embedding),
    )
    return memory(row)


async def by_id(q: Queries, owner_id: int, memory_id: int) -> Memory | None:
    return _maybe(await q.row("memories.by_id", owner_id, memory_id))


async def live(q: Queries, owner_id: int, chat_id: int, statuses: Sequence[MemoryStatus]) -> list[Memory]:
    return [memory(row) for row in await q.rows("memories.live", owner_id, chat_id, list(statuses))]


async def known(
    q: Queries, owner_id: int, chat_id: int, statuses: Sequence[MemoryStatus], limit: int | None = None
) -> list[Known]:
    """Newest first, `limit` of them or all."""
    return [Known(**row) for row in await q.rows("memories.known", owner_id, chat_id, list(statuses), limit)]


async def all_of_owner(q: Queries, owner_id: int) -> list[Memory]:
    return [memory(row) for row in await q.rows("memories.all_of_owner", owner_id)]


async def from_message(q: Queries, owner_id: int, chat_id: int, message_id: int) -> list[Memory]:
    return [memory(row) for row in await q.rows("memories.from_message", owner_id, chat_id, message_id)]


async def similar(
    q: Queries,
    owner_id: int,
    chat_id: int,
    embedding: bytes | None,
    *,
    lexemes: str,
    attributes: str,
    scope: str,
    limit: int,
    newest: int,
) -> list[Near]:
    """Up to `limit` by each of meaning, words and attributes, and so many of the newest."""
    rows = await q.rows("memories.similar", owner_id, chat_id, embedding, lexemes, attributes, scope, limit, newest)
    return [Near(memory(row), row["cosine"]) for row in rows]


async def set_status(
    q: Queries,
    owner_id: int,
    memory_id: int,
    status: MemoryStatus,
    now: datetime,
    *,
    valid_to: datetime | None = None,
    user_confirmed: bool = False,
    superseded_by: int | None = None,
) -> Memory | None:
    args = (status, valid_to, user_confirmed, superseded_by, now)
    return _maybe(await q.row("memories.set_status", owner_id, memory_id, *args))


async def rewrite(
    q: Queries,
    owner_id: int,
    memory_id: int,
    *,
    content: str,
    kind: MemoryKind,
    deadline: datetime | None,
    index_text: str,
    scope: Sequence[str],
    embedding: bytes | None,
    now: datetime,
) -> Memory | None:
    args = (content, now, index_text, list(scope), embedding, kind, deadline)
    return _maybe(await q.row("memories.rewrite", owner_id, memory_id, *args))


async def set_pinned(q: Queries, owner_id: int, memory_id: int, pinned: bool, now: datetime) -> Memory | None:
    return _maybe(await q.row("memories.set_pinned", owner_id, memory_id, pinned, now))


async def make_global(q: Queries, owner_id: int, memory_id: int, now: datetime) -> Memory | None:
    return _maybe(await q.row("memories.make_global", owner_id, memory_id, now))


async def support(
    q: Queries,
    owner_id: int,
    memory_id: int,
    source_ids: Sequence[int],
    now: datetime,
    *,
    confirmed: bool,
    pinned: bool,
    importance: float,
    deadline: datetime | None,
    said_in: int,
) -> Memory | None:
    """`said_in`: the chat of the further sources."""
    args = (list(source_ids), now, confirmed, pinned, importance, deadline, said_in)
    return _maybe(await q.row("memories.support", owner_id, memory_id, *args))


async def mark_asked(q: Queries, owner_id: int, ids: Sequence[int], now: datetime) -> None:
    await q.run("memories.mark_asked", owner_id, list(ids), now)


async def versions(q: Queries, owner_id: int, memory_id: int) -> list[TextVersion]:
    return [TextVersion(*row) for row in await q.rows("memories.versions", owner_id, memory_id)]


async def provenance(q: Queries, owner_id: int, memory_id: int) -> tuple[str | None, int | None]:
    """The model that worded it, None for the user's own words; and the chat its sources are in."""
    row = await q.row("memories.provenance", owner_id, memory_id)
    return (row["model"], row["source_chat_id"]) if row is not None else (None, None)


async def predecessors(q: Queries, owner_id: int, memory_id: int) -> list[Memory]:
    return [memory(row) for row in await q.rows("memories.predecessors", owner_id, memory_id)]


async def erase(q: Queries, owner_id: int, ids: Sequence[int]) -> list[str]:
    """What the memories said that went, those they had superseded included."""
    return [row["content"] for row in await q.rows("memories.erase", owner_id, list(ids))]


def memory(row: Row) -> Memory:
    values = {name: row[name] for name in _FIELDS}
    # Stored as float4: six digits are what it holds.
    values |= {name: round(values[name], 6) for name in ("confidence", "importance")}
    scope = "global" if row["chat_id"] is None else "chat"
    return Memory.model_construct(**values, scope=scope, sources=tuple(row["source_ids"]))


def _maybe(row: Row | None) -> Memory | None:
    return memory(row) if row is not None else None


async def rejections(q: Queries, owner_id: int, chat_id: int) -> list[str]:
    """What the user said no to."""
    return [row["content"] for row in await q.rows("memories.rejections", owner_id, chat_id)]


@dataclass(frozen=True)
class Ended:
    """What a memory said until then."""

    content: str
    at: datetime


async def ended(q: Queries, owner_id: int, chat_id: int, message_ids: Sequence[int]) -> list[Ended]:
    """What was learned from these messages of the chat and holds no more, or not in these words."""
    return [Ended(*row) for row in await q.rows("memories.ended", owner_id, chat_id, list(message_ids))]
