"""The queue of jobs and its workers. A result is stored before it is applied. The SQL statements contain the state
machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from tellonce import tracing
from tellonce.contract import Backlog, JobKind
from tellonce.work import DeadLetter, Failed, JobState, KindStatus, Tier
from tellonce_server.core.scope import ChatId, MemoryId, MessageId, OwnerId
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.named_queries import MaybeRow, OneRow, Rows, Run, Value, named
from tellonce_sql import arguments

JobClass = Literal["live", "past"]
"""`past`: jobs about imported messages, and jobs that a better tier repeats. Live jobs are claimed first."""

PAST_EXCHANGES = 1
PAST_SUMMARIES = 2
"""The track numbers of past jobs. Track 0 is for live jobs. The jobs of one track of a chat are claimed in order."""


JobId: TypeAlias = int
Fence: TypeAlias = int


class JobKey(NamedTuple):
    """A job's identity, sent to workers as `owner:chat:number`."""

    owner_id: int
    chat_id: int
    id: int

    def __str__(self) -> str:
        return f"{self.owner_id}:{self.chat_id}:{self.id}"

    @property
    def chat(self) -> tuple[OwnerId, ChatId]:
        return self[:2]

    @classmethod
    def parse(cls, text: str) -> "JobKey":
        owner, chat, number = text.split(":")
        return cls(int(owner), int(chat), int(number))


@dataclass(frozen=True)
class Job:
    key: JobKey
    kind: JobKind
    state: JobState
    job_class: JobClass
    redo: bool
    thread_key: str
    dedup_key: str
    from_id: int
    to_id: int
    exchanges: int
    attempts: int
    fence: int
    result: dict[str, Any] | None
    model: str | None
    provisional: bool
    traceparent: str | None
    created_at: datetime
    known_ids: Sequence[int]
    tier: Tier | None

    @property
    def past(self) -> bool:
        return self.job_class == "past"


@dataclass(frozen=True)
class NewJob:
    """A job about the messages `from_id` to `to_id` of a thread. It joins an unclaimed job of the same kind, class and
    dedup key. `traceparent` is the trace of the call."""

    owner_id: int
    chat_id: int
    kind: JobKind
    thread_key: str
    dedup_key: str
    from_id: int
    to_id: int
    not_before: datetime
    exchanges: int = 0
    traceparent: str | None = field(default_factory=tracing.traceparent)
    job_class: JobClass = "live"


def _job(row: Row) -> Job:
    names = set(Job.__dataclass_fields__) - {"key", "traceparent", "job_class"}
    values = {name: row[name] for name in names}
    return Job(
        key=JobKey(row["owner_id"], row["chat_id"], row["id"]),
        traceparent=row["trace_id"],
        job_class=row["class"],
        **values,
    )


async def enqueue(q: Queries, job: NewJob, now: datetime) -> int | None:
    """Queue a job. Returns its number, or that of the job that it joined. None if the chat does not exist."""
    row = await q.row("queue.enqueue", *arguments("queue.enqueue", {**vars(job), "now": now}))
    return row["id"] if row is not None else None


hold = Run[[OwnerId, datetime, datetime]]("queue.hold")
claim = Rows[[str, datetime, datetime, Sequence[JobKind] | None, int, datetime, int, int], Job]("queue.claim", _job)
bury = Run[[datetime, int]]("queue.bury")
narrow = Run[[OwnerId, ChatId, JobId, Fence, MessageId, MessageId, int]]("queue.narrow")
show = Run[[OwnerId, ChatId, JobId, Fence, Sequence[MemoryId]]]("queue.show")
extend = Value[[OwnerId, ChatId, JobId, Fence, datetime], datetime | None]("queue.extend")
"""Extend a lease and return its end; None if the caller's claim is no longer valid."""


async def submit(
    q: Queries,
    key: JobKey,
    fence: int,
    result: dict[str, Any],
    model: str,
    provisional: bool,
    tier: Tier = "keep",
    *,
    answered_badly: bool = False,
) -> Job | None:
    """Store a result and return the job, or None if the claim ended. `answered_badly` means that a better tier gave an
    unusable answer."""
    row = await q.row("queue.submit", *key, fence, result, model, provisional, tier, answered_badly)
    return _job(row) if row is not None else None


finish_empty = Run[[OwnerId, ChatId, JobId, Fence, datetime]]("queue.finish_empty")
find = MaybeRow[[OwnerId, ChatId, JobId], Job]("queue.find", _job)
lock_ready = MaybeRow[[OwnerId, ChatId], Job]("queue.lock_ready", _job)
complete = Run[[OwnerId, ChatId, JobId, datetime]]("queue.complete")
chats_with_ready = Rows[[], tuple[OwnerId, ChatId]]("queue.chats_with_ready", tuple)
fail = MaybeRow[[OwnerId, ChatId, JobId, Fence, str, bool, int, datetime, datetime], Failed](
    "queue.fail", named(Failed)
)
"""Returns the new state; None if the claim is no longer valid."""

refuse = Run[[OwnerId, ChatId, JobId, str, int, datetime, datetime]]("queue.refuse")
void_claims = Run[[OwnerId]]("queue.void_claims")
void_readers = Run[[OwnerId, ChatId, MessageId, str, str]]("queue.void_readers")
replay = Run[[OwnerId | None, datetime]]("queue.replay")
settle = Run[[OwnerId, ChatId, JobId]]("queue.settle")
carries_canonical = Value[[OwnerId, ChatId, JobId], bool]("queue.carries_canonical")


async def redo_provisional(
    q: Queries, limit: int, lower: Sequence[Tier], best: Tier, now: datetime, *, is_best: bool, is_paid: bool
) -> int:
    """Queue jobs of the `lower` tiers again for the tier `best`. Returns their number."""
    return len(await q.rows("queue.redo_provisional", limit, now, list(lower), best, is_best, is_paid))


@dataclass(frozen=True)
class Reading:
    """How many exchanges one tier has read. For queued exchanges, `tier` is None. `again` is true if queued exchanges
    were read before."""

    tier: Tier | None
    again: bool
    exchanges: int
    provisional: int | None


reading = Rows[[], Reading]("queue.reading", named(Reading))


async def dropped(q: Queries, now: datetime) -> dict[str, int]:
    """The number of learned items that were discarded this month, by reason."""
    return {row["reason"]: row["items"] for row in await q.rows("queue.dropped", now.date())}


count_dropped = Run[[OwnerId, date, str, int]]("queue.count_dropped")
hand_out = Rows[[OwnerId, ChatId, datetime, int, datetime], Job]("queue.hand_out", _job)
read_by_assistant = Rows[[OwnerId, ChatId, datetime, Sequence[int]], Job]("queue.read_by_assistant", _job)


async def status(q: Queries, now: datetime) -> tuple[list[KindStatus], datetime | None]:
    """The state of the jobs of each kind, and the creation time of the oldest job that is neither complete nor failed."""
    rows = [dict(row) for row in await q.rows("queue.status", now)]
    waiting = [oldest for row in rows if (oldest := row.pop("oldest")) is not None]
    return [KindStatus(**row) for row in rows], min(waiting, default=None)


failed_jobs = Rows[[int], DeadLetter]("queue.failed_jobs", named(DeadLetter))
backlog = OneRow[[OwnerId, ChatId, datetime], Backlog]("queue.backlog", named(Backlog))
worker_seen = Run[[str, datetime, datetime]]("workers.seen")
holder_seen = Run[[OwnerId, ChatId, JobId, Fence, datetime]]("workers.holder_seen")
any_at_work = Value[[datetime, str], bool]("workers.at_work")
worker_left = Run[[str]]("workers.left")
drop_finished = Value[[datetime, int], int]("retention.finished_jobs")
