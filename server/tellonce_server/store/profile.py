"""The user's profile: a narrative, and the lists of memories that were used to write it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tellonce.contract import Memory, MemoryKind, MemoryStatus
from tellonce_server.core.scope import ChatId, OwnerId
from tellonce_server.store.database import Queries
from tellonce_server.store.named_queries import MaybeRow, OneRow, Run, named
from tellonce_server.store.queue import Job


@dataclass(frozen=True)
class StoredProfile:
    narrative: str
    version: int
    model: str | None


LISTED: Final[tuple[MemoryKind, ...]] = ("fact", "preference", "goal", "date")
"""The kinds of memories that the profile lists, in the order of the query's arguments."""

find = MaybeRow[[OwnerId], StoredProfile]("profile.find", named(StoredProfile))


async def put(q: Queries, job: Job, narrative: str, live: Sequence[Memory], now: datetime) -> None:
    """Replace the profile, which lists the memories `live`. It is stale if a memory changed after the job was queued."""
    columns = ([m.content for m in live if m.kind == kind] for kind in LISTED)
    made = (job.model or "", job.provisional, now, job.created_at)
    await q.run("profile.put", job.key.owner_id, narrative, *columns, *made)


@dataclass(frozen=True)
class Staleness:
    """The age of the profile. `first`: it was never built. `stale`: memories have changed since its job was queued.
    `wrong`: some of its memories ended, were reworded or became uncertain."""

    exchanges_since: int
    first: bool
    stale: bool
    wrong: bool


async def count_exchange(q: Queries, owner_id: int) -> Staleness:
    row = await q.row("profile.count_exchange", owner_id)
    return Staleness(**row) if row is not None else Staleness(0, first=False, stale=False, wrong=False)


begin_erasure = Run[[OwnerId]]("profile.begin_erasure")


@dataclass(frozen=True)
class Counts:
    """Numbers of a chat. `only_searched` counts memories kept for search only. `verbatim` counts messages without a
    summary."""

    only_searched: int
    messages: int
    summaries: int
    verbatim: int


counts = OneRow[[OwnerId, ChatId, Sequence[MemoryStatus]], Counts]("memories.counts", named(Counts))
