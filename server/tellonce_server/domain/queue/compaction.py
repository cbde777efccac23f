"""Decides when the older messages of a thread are summarized, and divides them into runs with one summary each. All
functions except the last two are pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise

from tellonce.settings import Compaction
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import threads
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import JobClass
from tellonce_server.store.threads import OpenMessage, Run


def keep(rules: Compaction, *, messages: int, tokens: int, spoke: datetime | None, now: datetime) -> int | None:
    """The number of newest messages that stay verbatim; None if no compaction is due.

    If `spoke` (see `spoke_before`) is more than `max_age_hours` ago, `keep + chunk_least` messages are enough for a
    compaction.
    """
    if messages > rules.max_messages:
        return rules.keep
    if tokens > rules.max_tokens and messages >= rules.keep_when_long + rules.chunk_least:
        return rules.keep_when_long
    silent = spoke is not None and now - spoke > timedelta(hours=rules.max_age_hours)
    return rules.keep if silent and messages >= rules.keep + rules.chunk_least else None


def spoke_before(waiting: Sequence[OpenMessage], now: datetime, silence_hours: float) -> datetime | None:
    """The time of the newest message if the thread is silent now or has one message. Otherwise the time of the message
    before it."""
    if not waiting:
        return None
    newest = waiting[-1].sent_at
    silent_since = now - newest > timedelta(hours=silence_hours)
    return newest if silent_since or len(waiting) == 1 else waiting[-2].sent_at


def runs(open_messages: Sequence[OpenMessage], kept: int, rules: Compaction, *, all_due: bool = False) -> list[Run]:
    """Contiguous runs of messages, oldest first. The newest `kept` messages are left out.

    A run has `chunk_least` to `chunk` messages. Fewer messages stay verbatim. The minimum is two with `all_due`, and
    for messages before a `/new`, because contexts do not show these.
    """
    finished, talk = _talks(open_messages)
    current = talk[: max(0, len(talk) - kept)]
    parts = [part for former in finished for part in _even(former, rules.chunk)]
    parts += _even(current, rules.chunk) if all_due else _steps(current, rules)
    return [_run(part) for part in parts if len(part) > 1]


def _talks(waiting: Sequence[OpenMessage]) -> tuple[list[Sequence[OpenMessage]], Sequence[OpenMessage]]:
    """The conversations that a `/new` ended, and the current one. A conversation of one message is joined with the
    next."""
    finished: list[Sequence[OpenMessage]] = []
    current: list[OpenMessage] = []
    for _, part in groupby(waiting, key=lambda m: m.epoch):
        if len(current) > 1:
            finished.append(current)
            current = []
        current += part
    return finished, current


def _even(part: Sequence[OpenMessage], most: int) -> Iterator[Sequence[OpenMessage]]:
    """As few pieces as possible, of about the same size and at most `most` messages."""
    count = -(-len(part) // most)
    edges = [len(part) * i // count for i in range(count + 1)] if count else [0]
    return (part[a:b] for a, b in pairwise(edges))


def _steps(part: Sequence[OpenMessage], rules: Compaction) -> Iterator[Sequence[OpenMessage]]:
    """Pieces of full size, and a shorter last one if it has at least `chunk_least` messages."""
    pieces = (part[start : start + rules.chunk] for start in range(0, len(part), rules.chunk))
    return (piece for piece in pieces if len(piece) >= rules.chunk_least)


def _run(part: Sequence[OpenMessage]) -> Run:
    first, last = part[0], part[-1]
    return Run(first.thread_no, last.thread_no, first.id, last.id, sum(m.tokens for m in part))


async def compact_thread(
    q: Queries,
    scope: ChatScope,
    thread_key: str,
    rules: Compaction,
    now: datetime,
    *,
    all_due: bool = False,
    job_class: JobClass = "live",
) -> int:
    """Queue the chunk summaries that are due, and return their number. With `all_due`, every message that is not kept
    verbatim is due."""
    thread = await threads.find(q, *scope.key, thread_key)
    if thread is None:
        return 0
    waiting = await threads.open_run(q, *scope.key, thread_key)
    spoke = spoke_before(waiting, now, rules.max_age_hours)
    tokens = sum(m.tokens for m in waiting)
    kept = keep(rules, messages=len(waiting), tokens=tokens, spoke=spoke, now=now)
    if kept is None and not all_due:
        return 0
    due = runs(waiting, rules.keep if kept is None else kept, rules, all_due=all_due)
    if not due:
        return 0
    return await threads.queue_chunks(q, scope, thread, due, now, job_class)


async def compact_silent(deps: Dependencies) -> int:
    """Queue the chunk summaries that are due in silent threads, and return their number. Other threads are compacted by
    their next message."""
    rules, now, queued = deps.settings.compaction, deps.now(), 0
    since = now - timedelta(hours=rules.max_age_hours)
    for owner_id, chat_id, key in await threads.silent(deps.database, since, rules.keep + rules.chunk_least):
        queued += await compact_thread(deps.database, ChatScope(owner_id, chat_id), key, rules, now)
    if queued:
        deps.tell_workers()
    return queued
