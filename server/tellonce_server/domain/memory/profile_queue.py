"""Queues the rewriting of the profile's narrative after statements changed, because the narrative may repeat these
statements."""

from datetime import datetime

from tellonce.contract import JobKind
from tellonce_server.store import queue, threads
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import NewJob


async def queue_profile(q: Queries, owner_id: int, chat_id: int, now: datetime) -> JobKind:
    """Queue the rewriting of the narrative. The job belongs to the chat of the request."""
    of_chat = await threads.of_chat(q, owner_id, chat_id)
    key = of_chat[0].thread_key if of_chat else ""
    job = NewJob(owner_id, chat_id, "profile", key, "profile", 0, 0, now)
    await queue.enqueue(q, job, now)
    return job.kind
