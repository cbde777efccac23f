"""Threads. For each thread, three message numbers are known: its last message, its last summarized message, and its
last message that is queued for a summary."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tellonce import tracing
from tellonce_server.core.scope import ChatId, ChatScope, OwnerId, ThreadKey
from tellonce_server.store.database import Queries
from tellonce_server.store.named_queries import MaybeRow, Rows, column, named
from tellonce_server.store.queue import JobClass


@dataclass(frozen=True)
class Thread:
    """A thread's counters. Messages up to `covered_to` are summarized. The next messages, up to `queued_to`, are queued
    for a summary. The last messages, up to `last_no`, are open."""

    thread_key: str
    last_no: int
    covered_to: int
    queued_to: int


@dataclass(frozen=True)
class OpenMessage:
    id: int
    thread_no: int
    tokens: int
    sent_at: datetime
    epoch: int = 0


@dataclass(frozen=True)
class Run:
    """A range of contiguous messages of a thread, by positions and by message ids."""

    from_no: int
    to_no: int
    from_id: int
    to_id: int
    tokens: int


@dataclass(frozen=True)
class Gap:
    """A thread whose counters contradict its summaries and open messages. This must never exist."""

    last_no: int
    covered_to: int
    open: int
    covered: int


find = MaybeRow[[OwnerId, ChatId, ThreadKey], Thread]("threads.find", named(Thread))
of_chat = Rows[[OwnerId, ChatId], Thread]("threads.of_chat", named(Thread))
in_order = Rows[[OwnerId, ChatId], str]("threads.in_order", column("thread_key"))
open_run = Rows[[OwnerId, ChatId, ThreadKey], OpenMessage]("threads.open_run", named(OpenMessage))
silent = Rows[[datetime, int], tuple[int, int, str]]("threads.silent", tuple)


async def queue_chunks(
    q: Queries, scope: ChatScope, thread: Thread, runs: Sequence[Run], now: datetime, job_class: JobClass = "live"
) -> int:
    """Queue chunk jobs and return their number, or 0 if another process was first."""
    rows = await q.rows(
        "threads.queue_chunks",
        *(*scope.key, thread.thread_key, thread.queued_to),
        *([r.from_no for r in runs], [r.to_no for r in runs], [r.from_id for r in runs], [r.to_id for r in runs]),
        *(sum(r.tokens for r in runs), now, tracing.traceparent(), job_class),
    )
    return len(rows)


gaps = Rows[[OwnerId], Gap]("threads.gaps", named(Gap))
