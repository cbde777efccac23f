"""Stores a statement as a new memory, as a repetition of a memory, or as a replacement of memories that the caller
chooses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from pgvector import HalfVector

from tellonce.contract import Memory, MemoryStatus
from tellonce.reasons import reason
from tellonce.work import Tier
from tellonce_server.core.limits import offloaded
from tellonce_server.domain.memory import dedup
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.store import memories
from tellonce_server.store.database import Queries
from tellonce_server.store.memories import Intent, NewMemory

CERTAIN = 0.9
UNCERTAIN = 0.5
"""The confidence of statements that the user did not make."""

ENDED_BY_ITSELF = ("goal", "date")
"""A statement that ends memories of these kinds completes them. It supersedes memories of other kinds."""


@dataclass(frozen=True)
class Stored:
    """`ended` are the memories that the statement replaced or ended."""

    memory: Memory
    outcome: Literal["stored", "duplicate", "superseded"]
    ended: Sequence[Memory] = ()


async def lock(q: Queries, owner_id: int, texts: Sequence[str]) -> None:
    """Wait until no other call is storing one of these statements. Otherwise two calls could store the same one. Call
    this once per transaction, after locking the chat and before `store` or `put`."""
    await memories.lock(q, owner_id, [dedup.key(text) for text in texts])


async def store(
    q: Queries, new: NewMemory, vector: HalfVector | None, now: datetime, *, besides: frozenset[int] = frozenset()
) -> Stored:
    """Add the statement. If a memory outside of `besides` already makes it, only its sources are added to that memory.
    The vector is computed before the transaction, because an embedder may be slow."""
    known = await same(q, new, besides)
    if known is not None:
        return Stored(await support(q, known, new, now), "duplicate")
    return Stored(await add(q, new, vector, now), "stored")


async def same(q: Queries, new: NewMemory, besides: frozenset[int] = frozenset()) -> Memory | None:
    """The current memory that makes the same statement as `new`."""
    found = await memories.same_words(q, new.owner_id, new.source_chat_id, dedup.key(new.content))
    alike = (m for m in found if m.id not in besides and m.note == new.note and m.about == new.about)
    return next((m for m in alike if dedup.same(m.content, new.content)), None)


async def add(q: Queries, new: NewMemory, vector: HalfVector | None, now: datetime) -> Memory:
    """Add the statement without comparing it to other statements."""
    return await memories.add(
        q,
        new,
        now,
        index_text=await offloaded(len(new.content), lambda: index_text(new.content, None)),
        embedding=vector,
        words_key=dedup.key(new.content),
        category_words=index_text(" ".join(new.categories or ()), None),
    )


async def put(
    q: Queries,
    new: NewMemory,
    vector: HalfVector | None,
    now: datetime,
    *,
    replaced: Sequence[Memory],
    ended: Sequence[Memory] = (),
) -> Stored:
    """Add the statement, and end the memories `replaced` and `ended`. If one of them is newer than the statement, none
    ends. The statement is then stored as superseded by the newer memory."""
    over = (*replaced, *ended)
    later = next((m for m in over if new.valid_from < m.valid_from <= now), None)
    if later is not None:
        why = reason("stated_later", id=later.id)
        past = replace(new, status="superseded", superseded_by=later.id, valid_to=later.valid_from, reason=why)
        return Stored(await add(q, past, vector, now), "stored")
    known = await same(q, new, frozenset(m.id for m in over))
    if known is None:
        pinned = new.pinned or any(m.pinned for m in replaced)
        memory = await add(q, replace(new, pinned=pinned), vector, now)
    else:
        memory = await support(q, known, new, now)
    gone = await end(q, new.owner_id, memory, now, replaced=replaced, ended=ended)
    return Stored(memory, "superseded" if gone else "stored" if known is None else "duplicate", gone)


async def end(
    q: Queries,
    owner_id: int,
    by: Memory,
    now: datetime,
    *,
    replaced: Sequence[Memory] = (),
    ended: Sequence[Memory] = (),
) -> list[Memory]:
    """End the memories that the statement `by` replaces or ends, at the start of `by.when` or when the statement was
    made."""
    start = by.when.start if by.when is not None else None
    at = min(start, now) if start is not None else by.valid_from
    gone: list[Memory] = []
    for old, completed in [(m, False) for m in replaced] + [(m, m.kind in ENDED_BY_ITSELF) for m in ended]:
        if old.id == by.id or old.valid_to is not None:
            continue
        status: MemoryStatus = "completed" if completed else "superseded"
        why = reason("ended_by" if completed else "replaced_by", id=by.id)
        successor = None if completed else by.id
        place = (q, owner_id, old.id, status, now)
        until = max(at, old.valid_from)
        gone.append(await memories.set_status(*place, valid_to=until, superseded_by=successor, reason=why) or old)
    return gone


async def affirm(
    q: Queries, owner_id: int, known: Memory, now: datetime, *, confirmed: bool
) -> tuple[Memory | None, list[Memory]]:
    """Make a known statement active. Then end the memories that its stored `intends` lists."""
    intends = (await memories.provenance(q, owner_id, known.id)).intends
    held = await memories.set_status(q, owner_id, known.id, "active", now, user_confirmed=confirmed)
    if held is None or intends is None:
        return held, []
    found = await memories.by_ids(q, owner_id, [*intends.replaces, *intends.ends])
    earlier = {m.id: m for m in found if m.valid_from <= held.valid_from}
    replaced, ended = ([earlier[i] for i in ids if i in earlier] for ids in (intends.replaces, intends.ends))
    return held, await end(q, owner_id, held, now, replaced=replaced, ended=ended)


async def withdraw(q: Queries, owner_id: int, known: Memory, now: datetime, *, denied: bool) -> Memory | None:
    """Withdraw a statement that was never true. The memories that it had replaced become active again. `denied`: the
    user rejected the statement."""
    if known.status == "active":
        await _reinstate(q, owner_id, known, now)
    return await memories.set_status(q, owner_id, known.id, "rejected", now, valid_to=now, user_confirmed=denied)


async def mark_uncertain(q: Queries, owner_id: int, known: Memory, why: str, now: datetime) -> None:
    """Make an active statement uncertain. Until the user confirms it, the memories that it had replaced are active
    again."""
    former = await _reinstate(q, owner_id, known, now)
    await memories.set_status(q, owner_id, known.id, "uncertain", now, reason=why)
    await memories.mark_uncertain(q, owner_id, known.id, UNCERTAIN, Intent(tuple(m.id for m in former)))


async def take_back(q: Queries, owner_id: int, former: Sequence[Memory], tier: Tier, now: datetime) -> int:
    """End these memories, because a model of a better tier (`tier`) has read their messages. Returns their number."""
    present = [memory for memory in former if memory.valid_to is None]
    for m in present:
        end, why = max(now, m.valid_from), reason("read_again", tier=tier)
        await memories.set_status(q, owner_id, m.id, "superseded", now, valid_to=end, reason=why)
    return len(present)


async def _reinstate(q: Queries, owner_id: int, known: Memory, now: datetime) -> list[Memory]:
    # A predecessor with a higher id was stored as history and was never active.
    former = [m for m in await memories.predecessors(q, owner_id, known.id) if m.id < known.id]
    for m in former:
        await memories.set_status(q, owner_id, m.id, "active", now)
    return former


async def support(q: Queries, known: Memory, new: NewMemory, now: datetime) -> Memory:
    """Add the sources and the due day of a repetition to the memory. A certain repetition makes an uncertain memory
    active."""
    supported = await memories.support(q, known.id, new, now)
    if known.status == "uncertain" and new.status == "active":
        supported, _ = await affirm(q, new.owner_id, known, now, confirmed=new.user_confirmed)
    if known.chat_id is not None and new.chat_id is None:
        supported = await memories.make_global(q, new.owner_id, known.id, now)
    return supported or known


def worth_showing(text: str) -> bool:
    """Whether the text has at least four characters and is not punctuation alone."""
    stripped = text.strip()
    return len(stripped) >= 4 and any(map(str.isalnum, stripped))
