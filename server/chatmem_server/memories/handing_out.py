"""Gives the connected assistant exchanges to read that no model has read, and notes that it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chatmem_server.memories.results import may_tell
from chatmem_server.places import Where
from chatmem_server.services import Kit
from chatmem_server.store import memories, messages, queue
from chatmem_server.store.database import Queries
from chatmem_server.store.messages import Line
from chatmem_server.store.queue import Job

AT_ONCE: Final = 10
"""Exchanges handed out at a time."""

HELD: Final = timedelta(hours=1)
"""How long the assistant may take to say what it learned from them."""

MOST_LINES: Final = 40


@dataclass(frozen=True)
class HandedOut:
    chat_id: int
    lines: Sequence[Line]


class HandingOut:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def unread(self, where: Where) -> list[HandedOut]:
        """The newest exchanges of this chat that no model has read; from now on they are the assistant's to read."""
        jobs = await queue.hand_out(self._kit.database, where.owner_id, where.chat_id, self._kit.now(), AT_ONCE)
        found = [HandedOut(job.key.chat_id, await _lines(self._kit.database, job)) for job in jobs]
        return sorted(found, key=lambda x: x.lines[0].id if x.lines else 0)


async def take_over(t: Queries, where: Where, borne_out: frozenset[int], now: datetime) -> None:
    """What was handed out lately has been read by the assistant: notes of it that it did not bear out have no more use."""
    for job in await queue.read_by_assistant(t, where.owner_id, where.chat_id, now - HELD):
        own = [line.id for line in await _lines(t, job) if line.role == "user" and may_tell(job, line)]
        for note in await memories.read_by(t, where.owner_id, where.chat_id, own, ("keep",)):
            if note.id not in borne_out:
                end = max(now, note.valid_from)
                why = "read again by assistant"
                await memories.set_status(t, where.owner_id, note.id, "superseded", now, valid_to=end, reason=why)


async def _lines(q: Queries, job: Job) -> list[Line]:
    key = job.key
    return await messages.id_range(q, key.owner_id, key.chat_id, job.thread_key, job.from_id, job.to_id, MOST_LINES)
