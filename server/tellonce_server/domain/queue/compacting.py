"""Queues the chunk summaries that are due in a thread; `compaction` says which these are."""

from datetime import datetime, timedelta

from tellonce.settings import Compaction
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.queue import compaction
from tellonce_server.store import threads
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import JobClass


async def compact_thread(
    q: Queries,
    where: ChatScope,
    thread_key: str,
    rules: Compaction,
    now: datetime,
    *,
    all_due: bool = False,
    job_class: JobClass = "live",
) -> int:
    """Queue the due chunk summaries and return their number. With `all_due`, all messages except those kept verbatim
    are due."""
    thread = await threads.find(q, where.owner_id, where.chat_id, thread_key)
    if thread is None:
        return 0
    waiting = await threads.open_run(q, where.owner_id, where.chat_id, thread_key)
    spoke = compaction.spoke_before(waiting, now, rules.max_age_hours)
    tokens = sum(m.tokens for m in waiting)
    kept = compaction.keep(rules, messages=len(waiting), tokens=tokens, spoke=spoke, now=now)
    if kept is None and not all_due:
        return 0
    runs = compaction.runs(waiting, rules.keep if kept is None else kept, rules, all_due=all_due)
    if not runs:
        return 0
    return await threads.queue_chunks(
        q, where.owner_id, where.chat_id, thread_key, thread.queued_to, runs, now, job_class
    )


async def compact_silent(deps: Dependencies) -> int:
    """Queue the chunk summaries of threads that have fallen silent and return their number. No message has to come."""
    rules, now, queued = deps.settings.compaction, deps.now(), 0
    since = now - timedelta(hours=rules.max_age_hours)
    for owner_id, chat_id, key in await threads.silent(deps.database, since, rules.keep + rules.chunk_least):
        queued += await compact_thread(deps.database, ChatScope(owner_id, chat_id), key, rules, now)
    if queued:
        deps.tell_workers()
    return queued
