"""The workers, and when each was last seen."""

from datetime import datetime

from tellonce_server.store.database import Queries
from tellonce_server.store.queue import JobKey


async def seen(q: Queries, worker: str, now: datetime, forgotten_before: datetime) -> None:
    await q.run("workers.seen", worker, now, forgotten_before)


async def holder_seen(q: Queries, job: JobKey, fence: int, now: datetime) -> None:
    """Record that the worker that holds this claim of the job was seen at `now`."""
    await q.run("workers.holder_seen", job.owner_id, job.chat_id, job.id, fence, now)


async def at_work(q: Queries, since: datetime, besides: str) -> bool:
    """Whether a worker other than `besides` was seen since `since`."""
    found: bool = await q.value("workers.at_work", since, besides)
    return found


async def left(q: Queries, worker: str) -> None:
    await q.run("workers.left", worker)
