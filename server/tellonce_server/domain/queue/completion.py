"""Applies the stored results of a chat in order. Each result is applied once, in its own transaction."""

import logging
import time
from datetime import datetime

from tellonce import tracing
from tellonce_server.core import errors
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.queue.job_kinds import JobKinds
from tellonce_server.domain.queue.job_type import ResultRefused
from tellonce_server.store import chats, queue
from tellonce_server.store.database import Transaction
from tellonce_server.store.queue import Job, JobKey

logger = logging.getLogger(__name__)

REFUSED = "refused"


class Finisher:
    def __init__(self, deps: Dependencies, kinds: JobKinds) -> None:
        self._deps = deps
        self._kinds = kinds

    async def apply_ready(self, owner_id: int, chat_id: int) -> dict[JobKey, dict[str, int]]:
        """Apply a chat's stored results, oldest first. Returns what each result changed: for each job, a count of each
        kind of change."""
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
            # The result may belong to another job than the job that was just submitted. The trace of the result's own
            # job is therefore used.
            with tracing.traced(f"apply {job.kind}", job.traceparent):
                stored = await self._apply(t, job)
        with tracing.traced(f"tell {job.kind}", job.traceparent):
            ms = round((time.perf_counter() - started) * 1000, 2)
            self._deps.emit(_event(job, stored), ms=ms, job=str(job.key), kind=job.kind, **stored)
        self._kinds.announce(job)
        return job.key, stored

    async def _apply(self, t: Transaction, job: Job) -> dict[str, int]:
        now = self._deps.now()
        try:
            async with t.savepoint():
                stored = await self._kinds.apply(t, job, now)
        except errors.PASSING:
            raise
        except Exception as error:
            # Any error ends only this job, because a result that cannot be applied must not block its chat for ever.
            if not isinstance(error, ResultRefused):
                logger.exception("the result of job %s cannot be applied", job.key)
            await self._refuse(t, job, error, now)
            return {REFUSED: 1}
        await queue.complete(t, *job.key, now)
        await queue.settle(t, *job.key)
        return stored

    async def _refuse(self, t: Transaction, job: Job, error: Exception, now: datetime) -> None:
        """Return the job to the queue and count the failure. Only the text of a ResultRefused is stored. The text of
        another error may contain the user's words."""
        reason = str(error) if isinstance(error, ResultRefused) else type(error).__name__
        policy = self._deps.settings.queue
        retry = now + policy.retry_delay(job.attempts)
        await queue.refuse(t, *job.key, reason, policy.max_attempts, retry, now)


def _event(job: Job, stored: dict[str, int]) -> str:
    if REFUSED in stored:
        return "result_refused"
    return "ltm_store_result" if job.kind in ("exchange", "second_reading") else "summary_written"
