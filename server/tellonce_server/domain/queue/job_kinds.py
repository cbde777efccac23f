"""The server's part of every kind of job, and the application of results. A new kind also needs models in
`tellonce/work.py`, a migration, and a task in the summarizer."""

import logging
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from tellonce import tracing
from tellonce import work as w
from tellonce_server.core import errors
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.domain.queue.exchange_job import ExchangeJob
from tellonce_server.domain.queue.job_type import JobType, ResultRefused
from tellonce_server.domain.queue.second_reading_job import SecondReadingJob
from tellonce_server.domain.queue.summary_jobs import ChunkJob, ProfileJob, RewriteJob, RollingJob, RoutineJob
from tellonce_server.store import chats, queue
from tellonce_server.store.database import Queries, Transaction
from tellonce_server.store.queue import Job, JobKey

_RESULT: TypeAdapter[w.WorkResult] = TypeAdapter(w.WorkResult)

logger = logging.getLogger(__name__)

REFUSED = "refused"


class JobKinds:
    """Reads the inputs of jobs, and applies the stored results of a chat in order. Each result is applied once, in its
    own transaction."""

    def __init__(self, deps: Dependencies, keeper: Keeper) -> None:
        self._deps = deps
        self._types: Mapping[w.JobKind, JobType[Any]] = {
            "exchange": ExchangeJob(deps, keeper),
            "second_reading": SecondReadingJob(deps),
            "chunk_summary": ChunkJob(deps, keeper),
            "erasure": RewriteJob(deps, keeper),
            "thread_summary": RollingJob(deps),
            "profile": ProfileJob(deps),
            "routine_summary": RoutineJob(deps),
        }

    async def read(self, job: Job) -> w.WorkInput | None:
        return await self._types[job.kind].read(job)

    async def prepare(self, job: Job, result: w.WorkResult) -> None:
        of_kind = self._types[job.kind]
        if isinstance(result, of_kind.result):
            await of_kind.prepare(job.key.owner_id, result)

    async def apply_ready(self, owner_id: int, chat_id: int) -> dict[JobKey, dict[str, int]]:
        """Apply a chat's stored results, oldest first. Returns for each job a count of each kind of change."""
        applied: dict[JobKey, dict[str, int]] = {}
        while True:
            done = await self._apply_one(owner_id, chat_id)
            if done is None:
                return applied
            applied[done[0]] = done[1]

    async def _apply_one(self, owner_id: int, chat_id: int) -> tuple[JobKey, dict[str, int]] | None:
        started = time.perf_counter()
        async with self._deps.database.transaction() as t:
            await chats.lock(t, owner_id, chat_id)
            job = await queue.lock_ready(t, owner_id, chat_id)
            if job is None:
                return None
            # The next result of the chat is not always the result that was just submitted. The trace of the result's
            # own job is therefore used.
            with tracing.traced(f"apply {job.kind}", job.traceparent):
                stored = await self._apply(t, job)
        with tracing.traced(f"tell {job.kind}", job.traceparent):
            ms = round((time.perf_counter() - started) * 1000, 2)
            self._deps.emit(_event(job, stored), ms=ms, job=str(job.key), kind=job.kind, **stored)
        self._announce(job)
        return job.key, stored

    async def _apply(self, t: Transaction, job: Job) -> dict[str, int]:
        now = self._deps.now()
        try:
            async with t.savepoint():
                stored = await self._apply_result(t, job, now)
        except errors.TEMPORARY_FAILURES:
            raise
        except Exception as error:
            # Any error ends only this job. A result that cannot be applied would otherwise block the chat forever.
            if not isinstance(error, ResultRefused):
                logger.exception("the result of job %s cannot be applied", job.key)
            await self._refuse(t, job, error, now)
            return {REFUSED: 1}
        await queue.complete(t, *job.key, now)
        await queue.settle(t, *job.key)
        return stored

    async def _refuse(self, t: Transaction, job: Job, error: Exception, now: datetime) -> None:
        """Return the job to the queue and count the failure. Only the text of a ResultRefused is stored, because other
        errors may contain the user's words."""
        reason = str(error) if isinstance(error, ResultRefused) else type(error).__name__
        policy = self._deps.settings.queue
        retry = now + policy.retry_delay(job.attempts)
        await queue.refuse(t, *job.key, reason, policy.max_attempts, retry, now)

    async def _apply_result(self, t: Queries, job: Job, now: datetime) -> dict[str, int]:
        """Apply the stored result and return counts. Raises ResultRefused for a result of another kind, or a chunk
        summary that does not continue its thread."""
        of_kind, result = self._types[job.kind], _RESULT.validate_python(job.result)
        if not isinstance(result, of_kind.result):
            raise ResultRefused(f"a {result.kind} result does not answer a {job.kind} job")
        return await of_kind.apply(t, job, result, now)

    def _announce(self, job: Job) -> None:
        chat = f"memory://chat/{job.key.chat_id}"
        changed = self._types[job.kind].changes(chat)
        self._deps.tell_subscribers(job.key.owner_id, *changed, f"{chat}/context")
        self._deps.tell_workers()


def _event(job: Job, stored: dict[str, int]) -> str:
    if REFUSED in stored:
        return "result_refused"
    return "ltm_store_result" if job.kind in ("exchange", "second_reading") else "summary_written"
