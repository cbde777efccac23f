"""Gives the connected assistant exchanges that no model has read, and notes when it has read them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory.extraction_results import may_tell
from tellonce_server.domain.memory.known import KnownMemories
from tellonce_server.services.learning_prompt import learning_prompt
from tellonce_server.store import memories, messages, queue
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line
from tellonce_server.store.queue import Job
from tellonce_text.secrets import mask

AT_ONCE: Final = 10
"""Exchanges handed out at a time."""

HELD: Final = timedelta(hours=1)
"""How long the assistant may take to report what it learned."""

MOST_LINES: Final = 40


class HandingOut:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._known = KnownMemories(deps)

    async def prompt(self, where: ChatScope) -> str:
        """The newest exchanges of this chat that no model has read, with instructions. The next call returns others."""
        database, now = self._deps.database, self._deps.now()
        jobs = await queue.hand_out(database, where.owner_id, where.chat_id, now, AT_ONCE, handed_before=now - HELD)
        parts = sorted([await _lines(database, job) for job in jobs], key=lambda lines: [line.id for line in lines])
        said = [mask(line.content) for part in parts for line in part if line.role == "user"]
        known = await self._known.about(where.owner_id, where.chat_id, said)
        return learning_prompt(parts, known, self._deps.zone)


async def take_over(
    t: Queries, where: ChatScope, borne_out: frozenset[int], sources: Sequence[int], now: datetime
) -> None:
    """Mark exchanges as read by the assistant if they were handed out recently or hold a source of what it learned,
    and remove their notes that it did not confirm."""
    for job in await queue.read_by_assistant(t, where.owner_id, where.chat_id, now - HELD, sources):
        own = [line.id for line in await _lines(t, job) if line.role == "user" and may_tell(job, line)]
        for note in await memories.read_by(t, where.owner_id, where.chat_id, own, ("keep",)):
            if note.id not in borne_out:
                end = max(now, note.valid_from)
                why = "read again by assistant"
                await memories.set_status(t, where.owner_id, note.id, "superseded", now, valid_to=end, reason=why)


async def _lines(q: Queries, job: Job) -> list[Line]:
    key = job.key
    return await messages.id_range(q, key.owner_id, key.chat_id, job.thread_key, job.from_id, job.to_id, MOST_LINES)
