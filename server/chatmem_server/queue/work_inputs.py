"""What a claimed job is worked from: read when it is claimed, secrets masked, nothing kept in the queue."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from datetime import timezone as fixed_zone

from chatmem.work import (
    ChunkInput,
    ErasureInput,
    ExchangeInput,
    KnownMemory,
    ProfileInput,
    RoutineInput,
    SummaryBody,
    ThreadInput,
    WorkInput,
    WorkMessage,
)
from chatmem_server.erasure.remaking import is_anew
from chatmem_server.memories.categories import tells_who
from chatmem_server.memories.learning import may_tell
from chatmem_server.places import session_lane
from chatmem_server.services import Kit
from chatmem_server.store import chats, memories, messages, queue, summaries
from chatmem_server.store.memories import Known
from chatmem_server.store.messages import Line
from chatmem_server.store.queue import Job, NewJob
from chatmem_server.text.secrets import mask

SIDE_CHARACTERS = 1800
"""How much of one message extraction sees (SPEC §5)."""

MESSAGE_CHARACTERS = 4000
"""How much of one message a summary sees."""

EXCHANGE_MESSAGES = 12
"""Messages of one extraction; a job that got ahead of the model is split at this."""

BEFORE = 4
KNOWN = 60

FOLDED = 24
"""The last chunk summaries that a rolling summary takes in at a time, some 500 messages: of what is older, as in an imported
history, next to nothing would be left in its few hundred tokens.
"""


class Inputs:
    """Reads a job's input. None when there is nothing left to do."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._readers: dict[str, Callable[[Job], Awaitable[WorkInput | None]]] = {
            "exchange": self._exchange,
            "chunk_summary": self._chunk,
            "thread_summary": self._thread,
            "profile": self._profile,
            "routine_summary": self._routine,
            "erasure": self._erasure,
        }

    async def read(self, job: Job) -> WorkInput | None:
        return await self._readers[job.kind](job)

    async def _exchange(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, EXCHANGE_MESSAGES + 1)
        if len(lines) > EXCHANGE_MESSAGES:
            lines = lines[:EXCHANGE_MESSAGES]
            await self._split(job, lines)
        lines = [line for line in lines if line.role == "assistant" or may_tell(job, line)]
        if not any(line.role == "user" for line in lines):
            return None
        key = job.key
        chat = await chats.find(self._kit.database, key.owner_id, key.chat_id)
        before = await messages.before_in_lane(
            self._kit.database, key.owner_id, key.chat_id, job.thread_key, job.from_id, BEFORE
        )
        assert chat is not None  # a job's chat is there: the foreign key holds it
        return ExchangeInput(
            timezone=self._kit.settings.timezone,
            before=tuple(_message(line, SIDE_CHARACTERS // BEFORE) for line in before),
            messages=tuple(_message(line, SIDE_CHARACTERS) for line in lines if line.routine is None),
            canonical=chat.canonical,
            canonical_cap_tokens=self._kit.settings.compaction.canonical_cap,
            known=await self._known(key.owner_id, key.chat_id),
        )

    async def _split(self, job: Job, lines: Sequence[Line]) -> None:
        """The rest becomes a job of its own, so one model call stays small."""
        rest = NewJob(
            *(job.key.owner_id, job.key.chat_id, job.kind, job.thread_key, job.dedup_key),
            *(lines[-1].id + 1, job.to_id, self._kit.now(), 0, job.traceparent),
        )
        async with self._kit.database.transaction() as t:
            await chats.lock(t, job.key.owner_id, job.key.chat_id)
            await queue.narrow(t, job.key, job.fence, lines[-1].id, min(job.exchanges, len(lines) // 2))
            await queue.enqueue(t, rest, self._kit.now())

    async def _known(self, owner_id: int, chat_id: int) -> tuple[KnownMemory, ...]:
        newest = await memories.known(self._kit.database, owner_id, chat_id, ("active", "uncertain"), KNOWN)
        return tuple(map(_told, newest))

    async def _chunk(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, self._kit.settings.compaction.chunk)
        return ChunkInput(timezone=self._kit.settings.timezone, messages=_messages(lines)) if lines else None

    async def _erasure(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, self._kit.settings.compaction.chunk)
        return ErasureInput(timezone=self._kit.settings.timezone, messages=_messages(lines)) if lines else None

    async def _thread(self, job: Job) -> WorkInput | None:
        key, level = job.key, level_of(job)
        lane = job.thread_key if level == "thread" else None
        prior = await summaries.rolling(self._kit.database, key.owner_id, key.chat_id, level, job.thread_key)
        prior = None if is_anew(job) else prior
        after = (prior.folded_to or 0) if prior else 0
        new = await summaries.chunks_after(self._kit.database, key.owner_id, key.chat_id, lane, after, FOLDED)
        if not new:
            return None
        return ThreadInput(
            timezone=self._kit.settings.timezone,
            level=level,
            prior_text=prior.text if prior else "",
            prior_body=prior.body if prior else SummaryBody(),
            chunks=tuple(chunk.chunk_text() for chunk in new),
            cap_tokens=self._kit.settings.compaction.thread_cap,
        )

    async def _profile(self, job: Job) -> WorkInput | None:
        owner = job.key.owner_id
        known = await memories.known(self._kit.database, owner, owner, ("active",))
        return ProfileInput(
            timezone=self._kit.settings.timezone,
            memories=tuple(map(_told, most_telling(known))),
            cap_tokens=self._kit.settings.compaction.profile_cap,
        )

    async def _routine(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, 1)
        if not lines or lines[0].routine is None or (lines[0].routine_summary is not None and not job.redone):
            return None
        message = _message(lines[0], MESSAGE_CHARACTERS)
        return RoutineInput(timezone=self._kit.settings.timezone, name=lines[0].routine, message=message)

    async def _lines(self, job: Job, limit: int) -> list[Line]:
        key = job.key
        return await messages.id_range(
            self._kit.database, key.owner_id, key.chat_id, job.thread_key, job.from_id, job.to_id, limit
        )


def most_telling(known: Sequence[Known]) -> list[Known]:
    """What a profile is written from: who the user is, what they confirmed or pinned, then the rest; each as it came."""
    return sorted(known, key=lambda m: (not tells_who(m.content), not (m.user_confirmed or m.pinned)))[:KNOWN]


def level_of(job: Job) -> summaries.Rolling:
    """Session summaries are the same job as thread summaries, on the whole chat."""
    return "session" if job.thread_key == session_lane(job.key.chat_id) else "thread"


def sender_time(line: Line) -> datetime:
    """The moment with the offset the sender's clock had."""
    return line.sent_at.astimezone(fixed_zone(timedelta(minutes=line.utc_offset)))


def _messages(lines: Sequence[Line]) -> tuple[WorkMessage, ...]:
    return tuple(_message(line, MESSAGE_CHARACTERS) for line in lines)


def _message(line: Line, characters: int) -> WorkMessage:
    text = mask(line.content)
    clipped = text if len(text) <= characters else text[: characters - 1] + "…"
    return WorkMessage(id=line.id, role=line.role, at=sender_time(line), text=clipped, routine=line.routine)


def _told(m: Known) -> KnownMemory:
    return KnownMemory(id=m.id, kind=m.kind, text=m.content, status=m.status, user_confirmed=m.user_confirmed)
