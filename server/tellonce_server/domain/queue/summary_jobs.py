"""Jobs that write summaries: of messages (chunks), of chunk summaries (rolling), of one proactive message, and of the
user."""

from datetime import datetime

from tellonce import work as w
from tellonce_server.core.scope import known_everywhere, session_thread
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.rebuild import ignores_former_text, queue_rolling
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.domain.memory.extraction_results import is_evidence
from tellonce_server.domain.queue.job_type import JobType, ResultRefused, enqueue_following, shown
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.store import memories, messages, profile, summaries
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import Job
from tellonce_server.store.summaries import SummaryText
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip, estimate

FOLDED = 24
"""Maximum chunk summaries that are added to a rolling summary at a time, about 500 messages. If there are more, as
after an import, only the newest are added. A few hundred tokens would contain almost nothing of the older ones."""

MOST_MEMORIES = 60
"""Maximum memories in the input of a profile job."""


class RewriteJob(JobType[w.SummaryResult]):
    """Rewrites a chunk summary after something in its messages was forgotten."""

    result = w.SummaryResult
    input: type[w.ChunkInput] | type[w.ErasureInput] = w.ErasureInput

    def __init__(self, deps: Dependencies, keeper: Keeper) -> None:
        super().__init__(deps)
        self._keeper = keeper

    async def read(self, job: Job) -> w.WorkInput | None:
        lines = await self._lines(job, self._deps.settings.compaction.chunk)
        if not lines:
            return None
        own = [shown(line) for line in lines if is_evidence(*job.key.chat, line)]
        return self.input(
            timezone=self._deps.settings.timezone,
            messages=tuple(map(shown, lines)),
            notable=tuple(await self._keeper.notable(own)),
        )

    async def apply(self, t: Queries, job: Job, result: w.SummaryResult, now: datetime) -> dict[str, int]:
        number = await summaries.rewrite_chunk(t, summary_text(job, result), now)
        for kind, thread in _rolled_up_in(job) if number is not None else ():
            await queue_rolling(t, *job.key.chat, kind, thread, now)
        return {"summaries": int(number is not None)}


class ChunkJob(RewriteJob):
    """Summarizes the next messages of a thread, or rewrites the summary of the same messages."""

    input = w.ChunkInput

    async def apply(self, t: Queries, job: Job, result: w.SummaryResult, now: datetime) -> dict[str, int]:
        if await summaries.add_chunk(t, summary_text(job, result), now) is not None:
            # In a chat with one thread, all rolling summaries cover the same messages.
            for kind, thread in _rolled_up_in(job):
                await enqueue_following(t, job, kind, thread, thread, now)
        elif not (await super().apply(t, job, result, now))["summaries"]:
            raise ResultRefused(f"thread {job.thread_key} does not continue at message {job.from_id}")
        return {"summaries": 1}


class RollingJob(JobType[w.SummaryResult]):
    """Adds chunk summaries to a rolling summary."""

    result = w.SummaryResult

    async def read(self, job: Job) -> w.WorkInput | None:
        key, level = job.key, _level_of(job)
        thread = job.thread_key if level == "thread" else None
        prior = await summaries.rolling(self._deps.database, *key.chat, level, job.thread_key)
        prior = None if ignores_former_text(job) else prior
        after = (prior.folded_to or 0) if prior else 0
        new = await summaries.chunks_after(self._deps.database, *key.chat, thread, after, FOLDED)
        if not new:
            return None
        return w.ThreadInput(
            timezone=self._deps.settings.timezone,
            level=level,
            prior_text=prior.text if prior else "",
            prior_body=prior.body if prior else w.SummaryBody(),
            chunks=tuple(w.ChunkText.model_validate(chunk, from_attributes=True) for chunk in new),
            cap_tokens=self._deps.settings.compaction.thread_cap,
        )

    async def apply(self, t: Queries, job: Job, result: w.SummaryResult, now: datetime) -> dict[str, int]:
        clipped = clip(result.text, self._deps.settings.compaction.thread_cap)[0]
        text = summary_text(job, result.model_copy(update={"text": clipped}))
        await summaries.put_rolling(t, _level_of(job), text, now)
        return {"summaries": 1}


class ProfileJob(JobType[w.ProfileResult]):
    result = w.ProfileResult

    def changes(self, chat: str) -> tuple[str, ...]:
        return ("memory://profile",)

    async def read(self, job: Job) -> w.WorkInput | None:
        owner = job.key.owner_id
        shown_memories = await memories.for_profile(self._deps.database, owner, known_everywhere(owner), MOST_MEMORIES)
        return w.ProfileInput(
            timezone=self._deps.settings.timezone,
            memories=tuple(shown_memories),
            cap_tokens=self._deps.settings.compaction.profile_cap,
        )

    async def apply(self, t: Queries, job: Job, result: w.ProfileResult, now: datetime) -> dict[str, int]:
        owner = job.key.owner_id
        live = [m for m in await memories.live(t, owner, known_everywhere(owner), ("active",)) if not m.note]
        narrative = clip(mask(result.narrative), self._deps.settings.compaction.profile_cap)[0]
        await profile.put(t, job, narrative, live, now)
        return {"profiles": 1}


class RoutineJob(JobType[w.RoutineResult]):
    result = w.RoutineResult

    async def read(self, job: Job) -> w.WorkInput | None:
        lines = await self._lines(job, 1)
        if not lines or lines[0].routine is None or (lines[0].routine_summary is not None and not job.redo):
            return None
        return w.RoutineInput(timezone=self._deps.settings.timezone, name=lines[0].routine, message=shown(lines[0]))

    async def apply(self, t: Queries, job: Job, result: w.RoutineResult, now: datetime) -> dict[str, int]:
        key = job.key
        await messages.set_routine_summary(t, *key.chat, job.from_id, mask(result.summary))
        return {"routine_summaries": 1}


def summary_text(job: Job, result: w.SummaryResult) -> SummaryText:
    text = mask(result.text)
    body = type(result.body).model_validate(
        {name: [mask(line) for line in lines] for name, lines in result.body.model_dump().items()}
    )
    return SummaryText(job, text, body, estimate(text), index_text(text, None))


def _level_of(job: Job) -> w.Rolling:
    of_chat = job.thread_key == session_thread(job.key.chat_id)
    return next(level for level in w.JOBS[job.kind].rolling if (level != "thread") == of_chat)


def _rolled_up_in(job: Job) -> list[tuple[w.JobKind, str]]:
    """The kinds and thread keys of the jobs that write a chunk's rolling summaries."""
    chat = session_thread(job.key.chat_id)
    return [(kind, job.thread_key if level == "thread" else chat) for level, kind in w.WRITERS.items()]
