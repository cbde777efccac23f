"""Declares the server's part of every kind of job. A new kind needs an entry in `JobKinds`, its models in
`tellonce/work.py`, a migration, and a task in the summarizer."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from tellonce import work as w
from tellonce_server.core.scope import known_everywhere
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.domain.queue.exchange_job import ExchangeJob
from tellonce_server.domain.queue.job_type import JobType, ResultRefused, shown
from tellonce_server.domain.queue.second_reading_job import SecondReadingJob
from tellonce_server.domain.queue.summary_jobs import ChunkJob, RewriteJob, RollingJob
from tellonce_server.store import memories, messages, profile
from tellonce_server.store.database import Queries
from tellonce_server.store.queue import Job
from tellonce_text.secrets import mask
from tellonce_text.tokens import clip

_RESULT: TypeAdapter[w.WorkResult] = TypeAdapter(w.WorkResult)

TOLD = 60
"""Maximum number of memories in the input of a profile job."""


class ProfileJob(JobType[w.ProfileResult]):
    """Writes the narrative about the user."""

    result = w.ProfileResult

    def changes(self, chat: str) -> tuple[str, ...]:
        return ("memory://profile",)

    async def read(self, job: Job) -> w.WorkInput | None:
        owner = job.key.owner_id
        telling = await memories.telling(self._deps.database, owner, known_everywhere(owner), TOLD)
        return w.ProfileInput(
            timezone=self._deps.settings.timezone,
            memories=tuple(telling),
            cap_tokens=self._deps.settings.compaction.profile_cap,
        )

    async def apply(self, t: Queries, job: Job, result: w.ProfileResult, now: datetime) -> dict[str, int]:
        owner = job.key.owner_id
        live = [m for m in await memories.live(t, owner, known_everywhere(owner), ("active",)) if not m.note]
        narrative = clip(mask(result.narrative), self._deps.settings.compaction.profile_cap)[0]
        await profile.put(t, job, narrative, live, now)
        return {"profiles": 1}


class RoutineJob(JobType[w.RoutineResult]):
    """Summarizes one proactive message."""

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


class JobKinds:
    """Reads the inputs of jobs and applies their results."""

    def __init__(self, deps: Dependencies, keeper: Keeper) -> None:
        self._deps = deps
        self._types: Mapping[JobKind, JobType[Any]] = {
            "exchange": ExchangeJob(deps, keeper),
            "chunk_summary": ChunkJob(deps, keeper),
            "erasure": RewriteJob(deps, keeper),
            "thread_summary": RollingJob(deps, w.ThreadInput),
            "profile": ProfileJob(deps),
            "routine_summary": RoutineJob(deps),
        }

    async def read(self, job: Job) -> w.WorkInput | None:
        """The worker's input; None if nothing is left to do."""
        return await self._types[job.kind].read(job)

    async def prepare(self, job: Job, result: w.WorkResult) -> None:
        """Do the slow work that the result needs before it is applied."""
        of_kind = self._types[job.kind]
        if isinstance(result, of_kind.result):
            await of_kind.prepare(job.key.owner_id, result)

    async def apply(self, t: Queries, job: Job, now: datetime) -> dict[str, int]:
        """Apply the stored result and return counts. Raises ResultRefused in two cases: the result is of another kind,
        or a chunk summary does not continue its thread."""
        of_kind, result = self._types[job.kind], _RESULT.validate_python(job.result)
        if not isinstance(result, of_kind.result):
            raise ResultRefused(f"a {result.kind} result does not answer a {job.kind} job")
        return await of_kind.apply(t, job, result, now)

    def announce(self, job: Job) -> None:
        """Notify subscribers and workers. Call this after the commit."""
        chat = f"memory://chat/{job.key.chat_id}"
        changed = self._types[job.kind].changes(chat)
        self._deps.tell_subscribers(job.key.owner_id, *changed, f"{chat}/context")
        self._deps.tell_workers()
