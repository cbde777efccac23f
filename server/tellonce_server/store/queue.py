"""The queue of jobs, and the workers that ask for jobs. A result is stored before it is applied (write-ahead). The
state machine is in the SQL statements."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from tellonce import tracing
from tellonce.contract import JobKind
from tellonce.work import DeadLetter, JobState, KindStatus, Tier
from tellonce_server.store.database import Queries, Row, one

JobClass = Literal["live", "past"]
"""`past`: jobs about imported messages, and jobs that a better tier does again. Live jobs are claimed first."""

PAST_EXCHANGES = 1
PAST_SUMMARIES = 2
"""The tracks of past work. Track 0 is live work. The jobs of one track of a chat are claimed in order."""


@dataclass(frozen=True)
class JobKey:
    """A job's identity, sent to workers as `owner:chat:number`."""

    owner_id: int
    chat_id: int
    id: int

    def __str__(self) -> str:
        return f"{self.owner_id}:{self.chat_id}:{self.id}"

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
    claims: int
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
    """A job about the messages from `from_id` to `to_id` of a thread, with the trace of the call that queued the job.

    The job is merged into an unclaimed job of the same kind, class and dedup key.
    """

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


@dataclass(frozen=True)
class ChatBacklog:
    waiting: int
    in_work: int
    dead: int
    oldest: datetime | None


@dataclass(frozen=True)
class Failure:
    state: JobState
    attempts: int
    not_before: datetime


async def enqueue(q: Queries, job: NewJob, now: datetime) -> int | None:
    """Queue a job. Returns its number, or the number of the unclaimed job it was merged into; None for a chat without
    messages."""
    row = await q.row(
        "queue.enqueue",
        *(job.owner_id, job.chat_id, job.kind, job.thread_key, job.dedup_key, job.from_id, job.to_id, job.exchanges),
        *(job.not_before, now, job.traceparent, job.job_class),
    )
    return row["id"] if row is not None else None


async def hold(q: Queries, owner_id: int, now: datetime, until: datetime) -> None:
    """Change the time before which the held exchanges of imports are not read."""
    await q.run("queue.hold", owner_id, now, until)


async def claim(
    q: Queries,
    worker: str,
    now: datetime,
    lease_until: datetime,
    kinds: Sequence[JobKind] | None,
    limit: int,
    *,
    horizon: datetime,
    most_lost: int,
    prefer: int = PAST_EXCHANGES,
) -> list[Job]:
    """Claim up to `limit` due jobs. A job or lease with a time after `horizon` counts as due, because such a time means
    that the clock was set back. `prefer` is the track of past work to claim first."""
    wanted = list(kinds) if kinds else None
    rows = await q.rows("queue.claim", worker, now, lease_until, wanted, limit, horizon, most_lost, prefer)
    return [_job(row) for row in rows]


async def bury(q: Queries, now: datetime, most_lost: int) -> int:
    """Mark jobs as failed if their lease expired without a result `most_lost` times in a row. Returns the number of
    these jobs."""
    return await q.run("queue.bury", now, most_lost)


async def narrow(q: Queries, key: JobKey, fence: int, from_id: int, to_id: int, exchanges: int) -> None:
    await q.run("queue.narrow", *_key(key), fence, from_id, to_id, exchanges)


async def show(q: Queries, key: JobKey, fence: int, known_ids: Sequence[int]) -> None:
    """Record which memories the worker is shown."""
    await q.run("queue.show", *_key(key), fence, list(known_ids))


async def extend(q: Queries, key: JobKey, fence: int, lease_until: datetime) -> datetime | None:
    """Extend a lease and return its end; None if the caller's claim is no longer valid."""
    value: datetime | None = await q.value("queue.extend", *_key(key), fence, lease_until)
    return value


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
    """Store a result and return the job; None if the caller's claim is no longer valid. `answered_badly` means that a
    better tier gave an unusable answer."""
    row = await q.row("queue.submit", *_key(key), fence, result, model, provisional, tier, answered_badly)
    return _job(row) if row is not None else None


async def finish_empty(q: Queries, key: JobKey, fence: int, now: datetime) -> None:
    await q.run("queue.finish_empty", *_key(key), fence, now)


async def find(q: Queries, key: JobKey) -> Job | None:
    row = await q.row("queue.find", *_key(key))
    return _job(row) if row is not None else None


async def lock_ready(q: Queries, owner_id: int, chat_id: int) -> Job | None:
    row = await q.row("queue.lock_ready", owner_id, chat_id)
    return _job(row) if row is not None else None


async def complete(q: Queries, key: JobKey, now: datetime) -> None:
    await q.run("queue.complete", *_key(key), now)


async def chats_with_ready(q: Queries) -> list[tuple[int, int]]:
    return [(row["owner_id"], row["chat_id"]) for row in await q.rows("queue.chats_with_ready")]


async def fail(
    q: Queries,
    key: JobKey,
    fence: int,
    reason: str,
    now: datetime,
    *,
    counted: bool,
    max_attempts: int,
    not_before: datetime,
) -> Failure | None:
    """Record a failure and return the job's new state; None if the caller's claim is no longer valid."""
    row = await q.row("queue.fail", *_key(key), fence, reason, counted, max_attempts, not_before, now)
    return Failure(**row) if row is not None else None


async def refuse(
    q: Queries, key: JobKey, reason: str, now: datetime, *, max_attempts: int, not_before: datetime
) -> None:
    await q.run("queue.refuse", *_key(key), reason, max_attempts, not_before, now)


async def void_claims(q: Queries, owner_id: int) -> int:
    return await q.run("queue.void_claims", owner_id)


async def void_readers(q: Queries, owner_id: int, chat_id: int, message_id: int, thread: str, session: str) -> int:
    """Invalidate the claims of jobs that may have read a message's former text. Returns the number of jobs."""
    return await q.run("queue.void_readers", owner_id, chat_id, message_id, thread, session)


async def replay(q: Queries, owner_id: int | None, now: datetime) -> int:
    return len(await q.rows("queue.replay", owner_id, now))


async def settle(q: Queries, key: JobKey) -> None:
    """Mark the earlier jobs as final if this job has replaced their text, so that no tier does these jobs again."""
    await q.run("queue.settle", *_key(key))


async def carries_canonical(q: Queries, key: JobKey) -> bool:
    """Whether this exchange updates the canonical summary. The exchange does so if the chat has no summary yet, or if
    the summary is provisional and no later exchange is part of the summary or queued."""
    return bool(await q.value("queue.carries_canonical", *_key(key)))


async def redo_provisional(q: Queries, limit: int, lower: Sequence[Tier], best: Tier, now: datetime) -> int:
    """Queue jobs with provisional results again: jobs done by one of the `lower` tiers, and exchanges that `best` has
    not read a second time. Returns the number of queued jobs."""
    return len(await q.rows("queue.redo_provisional", limit, now, list(lower), best))


@dataclass(frozen=True)
class Reading:
    """How many exchanges one tier has read. `tier` is None for queued exchanges. `again` marks queued exchanges that
    were read before and wait for a better tier."""

    tier: Tier | None
    again: bool
    exchanges: int
    provisional: int | None


async def reading(q: Queries) -> list[Reading]:
    return [Reading(**row) for row in await q.rows("queue.reading")]


async def dropped(q: Queries, now: datetime) -> dict[str, int]:
    """The number of learned items that were discarded this month, by reason."""
    return {row["reason"]: row["items"] for row in await q.rows("queue.dropped", now.date())}


async def count_dropped(q: Queries, owner_id: int, now: datetime, reason: str, items: int) -> None:
    await q.run("queue.count_dropped", owner_id, now.date(), reason, items)


async def hand_out(
    q: Queries, owner_id: int, chat_id: int, now: datetime, limit: int, *, handed_before: datetime
) -> list[Job]:
    """Hand out to the connected assistant the newest exchanges of the chat that no model has read, except exchanges
    that were handed out since `handed_before`."""
    return [_job(row) for row in await q.rows("queue.hand_out", owner_id, chat_id, now, limit, handed_before)]


async def read_by_assistant(
    q: Queries, owner_id: int, chat_id: int, since: datetime, sources: Sequence[int]
) -> list[Job]:
    """Mark exchanges as read by the connected assistant: the exchanges handed out after `since`, and the exchanges that
    contain one of the messages `sources`."""
    rows = await q.rows("queue.read_by_assistant", owner_id, chat_id, since, list(sources))
    return [_job(row) for row in rows]


async def status(q: Queries, now: datetime) -> tuple[list[KindStatus], datetime | None]:
    """The jobs of each kind, and the time of the oldest job that can be claimed."""
    rows = [dict(row) for row in await q.rows("queue.status", now)]
    waiting = [oldest for row in rows if (oldest := row.pop("oldest")) is not None]
    return [KindStatus(**row) for row in rows], min(waiting, default=None)


async def dead(q: Queries, limit: int) -> list[DeadLetter]:
    return [
        DeadLetter(
            job_id=str(_key_of(row)), kind=row["kind"], attempts=row["attempts"], error=row["error"], at=row["done_at"]
        )
        for row in await q.rows("queue.dead", limit)
    ]


async def backlog(q: Queries, owner_id: int, chat_id: int, now: datetime) -> ChatBacklog:
    row = await one(q, "queue.backlog", owner_id, chat_id, now)
    return ChatBacklog(**row)


def _key(key: JobKey) -> tuple[int, int, int]:
    return key.owner_id, key.chat_id, key.id


def _key_of(row: Row) -> JobKey:
    return JobKey(row["owner_id"], row["chat_id"], row["id"])


def _job(row: Row) -> Job:
    names = set(Job.__dataclass_fields__) - {"key", "traceparent", "job_class"}
    values = {name: row[name] for name in names}
    return Job(key=_key_of(row), traceparent=row["trace_id"], job_class=row["class"], **values)


async def worker_seen(q: Queries, worker: str, now: datetime, forgotten_before: datetime) -> None:
    await q.run("workers.seen", worker, now, forgotten_before)


async def holder_seen(q: Queries, job: JobKey, fence: int, now: datetime) -> None:
    """Record that the worker that holds this claim of the job was seen at `now`."""
    await q.run("workers.holder_seen", job.owner_id, job.chat_id, job.id, fence, now)


async def any_at_work(q: Queries, since: datetime, besides: str) -> bool:
    """Whether a worker other than `besides` was seen since `since`."""
    found: bool = await q.value("workers.at_work", since, besides)
    return found


async def worker_left(q: Queries, worker: str) -> None:
    await q.run("workers.left", worker)


async def drop_finished(q: Queries, before: datetime, limit: int) -> int:
    """Delete at most `limit` jobs that were finished before `before`. Returns their number."""
    return int(await q.value("retention.finished_jobs", before, limit))
