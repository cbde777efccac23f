"""Reads the input of a job when it is claimed, with secrets masked. The queue does not store the input."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from datetime import timezone as fixed_zone

from tellonce.work import (
    ChunkInput,
    ErasureInput,
    ExchangeInput,
    ProfileInput,
    RoutineInput,
    SummaryBody,
    ThreadInput,
    WorkInput,
    WorkMessage,
)
from tellonce_server.core.scope import known_everywhere, session_thread
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.rebuild import ignores_former_text
from tellonce_server.domain.keep.keeper import Scorer
from tellonce_server.domain.memory.extraction_results import may_tell
from tellonce_server.domain.memory.known import KnownMemories, told
from tellonce_server.store import chats, memories, messages, queue, summaries
from tellonce_server.store.messages import Line
from tellonce_server.store.queue import Job, NewJob
from tellonce_text.secrets import mask

SIDE_CHARACTERS = 1800
"""Maximum characters of one message that extraction sees (docs/CONTRACT.md, 5)."""

MESSAGE_CHARACTERS = 4000
"""Maximum characters of one message that a summary sees."""

EXCHANGE_MESSAGES = 12
"""Maximum messages of one extraction. A job that has accumulated more is split."""

BEFORE = 4
TOLD = 60
"""Maximum memories that a profile is written from."""

FOLDED = 24
"""Maximum chunk summaries that are added to a rolling summary at a time. The newest chunk summaries are added. The
newest 24 chunk summaries cover about 500 messages. An imported history may have more chunks, but almost nothing of the
older chunks would remain in the few hundred tokens of a rolling summary."""


class Inputs:
    """Reads a job's input. The input is None if nothing is left to do."""

    def __init__(self, deps: Dependencies, scorer: Scorer) -> None:
        self._deps = deps
        self._scorer = scorer
        self._known = KnownMemories(deps)

    async def read(self, job: Job) -> WorkInput | None:
        match job.kind:
            case "exchange":
                return await self._exchange(job)
            case "chunk_summary":
                return await self._chunk(job)
            case "thread_summary":
                return await self._thread(job)
            case "profile":
                return await self._profile(job)
            case "routine_summary":
                return await self._routine(job)
            case "erasure":
                return await self._erasure(job)

    async def _exchange(self, job: Job) -> WorkInput | None:
        lines = await self._part(job)
        key = job.key
        said = [line for line in lines if may_tell(key.owner_id, key.chat_id, line)]
        if not said:
            return None
        chat = await chats.find(self._deps.database, key.owner_id, key.chat_id)
        before = await messages.before_in_thread(
            self._deps.database, key.owner_id, key.chat_id, job.thread_key, lines[0].id, BEFORE
        )
        assert chat is not None  # the foreign key guarantees the job's chat
        known = await self._known.about(key.owner_id, key.chat_id, [mask(line.content) for line in said])
        await queue.show(self._deps.database, key, job.fence, [m.id for m in known])
        own = tuple(_message(line, SIDE_CHARACTERS) for line in said)
        return ExchangeInput(
            timezone=self._deps.settings.timezone,
            now=sender_time(lines[-1]),
            user_name=await memories.user_name(self._deps.database, key.owner_id, key.chat_id),
            before=tuple(_message(line, SIDE_CHARACTERS // BEFORE) for line in before),
            messages=tuple(_message(line, SIDE_CHARACTERS) for line in lines if line.routine is None),
            known=known,
            notable=tuple(await self._scorer.notable(own, [m.text for m in known if m.note])),
            canonical=chat.canonical,
            canonical_cap_tokens=self._deps.settings.compaction.canonical_cap,
        )

    async def _part(self, job: Job) -> list[Line]:
        """The job's messages. If there are too many for one call, the rest becomes a separate job.

        A live job keeps its first messages. A past job keeps its last messages, because past messages are read newest
        first.
        """
        read = messages.id_range if not job.past else messages.last_of_range
        key = job.key
        lines = await read(
            self._deps.database,
            *(key.owner_id, key.chat_id, job.thread_key, job.from_id, job.to_id, EXCHANGE_MESSAGES + 1),
        )
        if len(lines) <= EXCHANGE_MESSAGES:
            return lines
        lines = lines[-EXCHANGE_MESSAGES:] if job.past else lines[:EXCHANGE_MESSAGES]
        await self._split(job, lines)
        return lines

    async def _split(self, job: Job, lines: Sequence[Line]) -> None:
        first, last = lines[0].id, lines[-1].id
        rest = (job.from_id, first - 1) if job.past else (last + 1, job.to_id)
        mine = (first, job.to_id) if job.past else (job.from_id, last)
        exchanges = min(job.exchanges, len(lines) // 2)
        key, now = job.key, self._deps.now()
        new = NewJob(
            *(key.owner_id, key.chat_id, job.kind, job.thread_key, job.dedup_key, *rest, now),
            *(max(0, job.exchanges - exchanges), job.traceparent, job.job_class),
        )
        async with self._deps.database.transaction() as t:
            await chats.lock(t, key.owner_id, key.chat_id)
            await queue.narrow(t, key, job.fence, *mine, exchanges)
            await queue.enqueue(t, new, now)

    async def _chunk(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, self._deps.settings.compaction.chunk)
        if not lines:
            return None
        shown = _messages(lines)
        notable = tuple(await self._scorer.notable(_own(job, lines)))
        return ChunkInput(timezone=self._deps.settings.timezone, messages=shown, notable=notable)

    async def _erasure(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, self._deps.settings.compaction.chunk)
        if not lines:
            return None
        shown = _messages(lines)
        notable = tuple(await self._scorer.notable(_own(job, lines)))
        return ErasureInput(timezone=self._deps.settings.timezone, messages=shown, notable=notable)

    async def _thread(self, job: Job) -> WorkInput | None:
        key, level = job.key, level_of(job)
        thread = job.thread_key if level == "thread" else None
        prior = await summaries.rolling(self._deps.database, key.owner_id, key.chat_id, level, job.thread_key)
        prior = None if ignores_former_text(job) else prior
        after = (prior.folded_to or 0) if prior else 0
        new = await summaries.chunks_after(self._deps.database, key.owner_id, key.chat_id, thread, after, FOLDED)
        if not new:
            return None
        return ThreadInput(
            timezone=self._deps.settings.timezone,
            level=level,
            prior_text=prior.text if prior else "",
            prior_body=prior.body if prior else SummaryBody(),
            chunks=tuple(chunk.chunk_text() for chunk in new),
            cap_tokens=self._deps.settings.compaction.thread_cap,
        )

    async def _profile(self, job: Job) -> WorkInput | None:
        owner = job.key.owner_id
        telling = await memories.telling(self._deps.database, owner, known_everywhere(owner), TOLD)
        return ProfileInput(
            timezone=self._deps.settings.timezone,
            memories=tuple(map(told, telling)),
            cap_tokens=self._deps.settings.compaction.profile_cap,
        )

    async def _routine(self, job: Job) -> WorkInput | None:
        lines = await self._lines(job, 1)
        if not lines or lines[0].routine is None or (lines[0].routine_summary is not None and not job.redo):
            return None
        message = _message(lines[0], MESSAGE_CHARACTERS)
        return RoutineInput(timezone=self._deps.settings.timezone, name=lines[0].routine, message=message)

    async def _lines(self, job: Job, limit: int) -> list[Line]:
        key = job.key
        return await messages.id_range(
            self._deps.database, key.owner_id, key.chat_id, job.thread_key, job.from_id, job.to_id, limit
        )


def level_of(job: Job) -> summaries.Rolling:
    """The level of a rolling summary. A session summary is a thread summary of the whole chat."""
    return "session" if job.thread_key == session_thread(job.key.chat_id) else "thread"


def sender_time(line: Line) -> datetime:
    """Return the time at which the message was sent, with the UTC offset of the sender's clock."""
    return line.sent_at.astimezone(fixed_zone(timedelta(minutes=line.utc_offset)))


def _own(job: Job, lines: Sequence[Line]) -> tuple[WorkMessage, ...]:
    return tuple(_message(x, MESSAGE_CHARACTERS) for x in lines if may_tell(job.key.owner_id, job.key.chat_id, x))


def _messages(lines: Sequence[Line]) -> tuple[WorkMessage, ...]:
    return tuple(_message(line, MESSAGE_CHARACTERS) for line in lines)


def _message(line: Line, characters: int) -> WorkMessage:
    text = mask(line.content)
    clipped = text if len(text) <= characters else text[: characters - 1] + "…"
    return WorkMessage(
        id=line.id, role=line.role, speaker=line.speaker, at=sender_time(line), text=clipped, routine=line.routine
    )
