"""What depends on a message's text is derived anew when the text changes."""

from datetime import datetime

from chatmem.contract import JobKind, Memory
from chatmem_server.derived import redact_derived
from chatmem_server.evidence import supported
from chatmem_server.places import Where
from chatmem_server.redaction import Target
from chatmem_server.services import Kit
from chatmem_server.store import chats, memories, queue, summaries
from chatmem_server.store.database import Queries
from chatmem_server.store.messages import StoredMessage
from chatmem_server.store.queue import NewJob


class Rederiver:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def after_edit(
        self, where: Where, old: StoredMessage, new_text: str, now: datetime, trace_id: str | None
    ) -> tuple[JobKind, ...]:
        """Retire what the new text no longer says, and queue learning and summarising it again."""
        async with self._kit.database.transaction() as t:
            await chats.lock(t, where.owner_id, where.chat_id)
            retired = await self._retire(t, where, old, new_text, now)
            await queue.void_claims(t, where.owner_id)
            await redact_derived(t, where.owner_id, [Target.statement(m.content) for m in retired])
            kinds: list[JobKind] = ["exchange"] if old.role == "user" else []
            if old.role == "user":
                await queue.enqueue(t, self._job(where, old, "exchange", now, trace_id), now)
            covering = await summaries.of_message(t, where.owner_id, where.chat_id, old.thread_key, old.lane_no)
            if covering is not None:
                job = self._job(where, old, "erasure", now, trace_id, covering.from_id, covering.to_id)
                await queue.enqueue(t, job, now)
                kinds.append("erasure")
            if retired:
                await queue.enqueue(t, self._job(where, old, "profile", now, trace_id), now)
                kinds.append("profile")
        return tuple(kinds)

    async def _retire(self, t: Queries, where: Where, old: StoredMessage, new_text: str, now: datetime) -> list[Memory]:
        """Memories learned from this message alone that its new text does not bear out."""
        learned = await memories.from_message(t, where.owner_id, where.chat_id, old.id)
        stale = [m for m in learned if _only_from(m, old.id) and not supported(m.content, new_text)]
        for memory in stale:
            await memories.set_status(t, where.owner_id, memory.id, "rejected", now, valid_to=now)
        return stale

    def _job(
        self,
        where: Where,
        old: StoredMessage,
        kind: JobKind,
        now: datetime,
        trace_id: str | None,
        first: int | None = None,
        last: int | None = None,
    ) -> NewJob:
        key = {"profile": "profile", "erasure": f"erasure:{first}"}.get(kind, f"edit:{old.id}")
        return NewJob(
            *(
                where.owner_id,
                where.chat_id,
                kind,
                old.thread_key,
                key,
                first or old.id,
                last or old.id,
                now,
                0,
                trace_id,
            )
        )


def _only_from(memory: Memory, message_id: int) -> bool:
    live = memory.valid_to is None and memory.origin == "extracted" and not memory.user_confirmed
    return live and memory.sources == (message_id,)
