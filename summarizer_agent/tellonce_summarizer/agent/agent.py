"""The agent's loop: claims a job, extends the job's lease while working on it, and submits the result."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from tellonce import tracing
from tellonce.backoff import backoff
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.journal import Emit
from tellonce.shutdown import Stopped, drained, ended, pause_or_stop, unless_stopped
from tellonce.work import (
    TIERS,
    ClaimWorkArgs,
    ExchangeInput,
    ExtendWorkArgs,
    FailWorkArgs,
    SecondReadingInput,
    SubmitWorkArgs,
    Tier,
    WorkInput,
    WorkItem,
    WorkResult,
)
from tellonce_summarizer.models.fallback_chain import FallbackChain, Outcome
from tellonce_summarizer.tasks.exchange import exchange_task
from tellonce_summarizer.tasks.second_reading import reading_task, with_second_reading
from tellonce_summarizer.tasks.summaries import summary_task

log = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")
Done = Outcome[WorkResult]

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 10.0
_FINISH_SECONDS = 3.0
_HAND_BACK_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How an agent works. `wait_seconds` is the maximum time that one claim waits for work."""

    worker: str
    concurrency: int = 2
    wait_seconds: float = 20.0
    finish_seconds: float = _FINISH_SECONDS


class Agent:
    """After a stop, jobs that end within `finish_seconds` are completed; the others are returned."""

    def __init__(self, memory: MemoryClient, chain: FallbackChain, options: AgentOptions, emit: Emit) -> None:
        self._memory = memory
        self._chain = chain
        self._options = options
        self._emit = emit
        self._running: set[asyncio.Task[None]] = set()
        self._unusable_tier: Tier | None = None
        """After an unusable answer, the tier that was the best available one at that time. A usable answer of this tier
        resets the value to None."""

    async def run(self, stop: asyncio.Event) -> None:
        """Claim and work until `stop` is set."""
        failures = 0
        try:
            while not stop.is_set():
                jobs = await _result_until(stop, self._claimed())
                if jobs is None:
                    failures += 1
                    await pause_or_stop(stop, backoff(failures + 1, _FIRST_PAUSE, _LONGEST_PAUSE))
                    continue
                failures = 0
                await self._start(jobs, stop)
        finally:
            await drained(self._running, self._options.finish_seconds)

    async def _claimed(self) -> tuple[WorkItem, ...] | None:
        """None if the server cannot be reached or refuses the call."""
        args = ClaimWorkArgs(
            worker=self._options.worker,
            limit=self._options.concurrency - len(self._running),
            wait_seconds=self._options.wait_seconds,
            best_tier=self._worth_redoing(),
        )
        try:
            return (await self._memory.claim_work(args)).jobs
        except (MemoryUnreachable, MemoryRefused) as error:
            log.warning("no work could be claimed: %s", error)
            self._emit("claim_failed", reason=type(error).__name__)
            return None

    def _worth_redoing(self) -> Tier:
        """The best tier for repeated jobs. It is `keep` after an unusable answer of the best tier, because the server
        then offers no job again."""
        best = self._chain.best_tier()
        return "keep" if best == self._unusable_tier else best

    async def _start(self, jobs: tuple[WorkItem, ...], stop: asyncio.Event) -> None:
        for job in jobs:
            task = asyncio.create_task(self._work_with_lease(job))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        if not jobs:
            await pause_or_stop(stop, _FIRST_PAUSE)
        while len(self._running) >= self._options.concurrency and not stop.is_set():
            await _result_until(stop, asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED))

    async def _work_with_lease(self, job: WorkItem) -> None:
        with tracing.traced(f"work {job.kind}", job.traceparent):
            work = asyncio.create_task(self._work(job))
            lease = asyncio.create_task(self._keep_lease(job))
            try:
                await asyncio.wait({work, lease}, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                await ended(work, lease)
                await self._hand_back(job)
                raise
            for task in (work, lease):
                if task.done() and (failure := task.exception()) is not None:
                    log.error(
                        "job %s was not returned; it stays claimed until its lease expires",
                        job.job_id,
                        exc_info=failure,
                    )
            await ended(work, lease)

    async def _work(self, job: WorkItem) -> None:
        emit = self._emitter(job)
        emit("work_claimed", attempt=job.attempt)
        started = time.perf_counter()
        try:
            outcome = await done(
                job.input,
                self._chain,
                emit,
                best_tier=job.best_tier,
                second_reading=job.second_reading,
                owner=job.job_id.partition(":")[0],
            )
        except Exception as error:
            log.exception("job %s failed", job.job_id)
            emit("work_crashed", reason=type(error).__name__)
            await self._fail(job, f"{type(error).__name__}: {error}")
            return
        self._learn_from(outcome)
        state = await self._submit(job, outcome, emit)
        ms = round((time.perf_counter() - started) * 1000)
        emit("work_done", ms=ms, state=state, tier=outcome.tier, model=outcome.model, provisional=outcome.provisional)

    def _learn_from(self, outcome: Done) -> None:
        if any(not call.ok and not call.down for call in outcome.calls):
            self._unusable_tier = self._chain.best_tier()
        elif outcome.tier == self._chain.best_tier():
            self._unusable_tier = None

    async def _submit(self, job: WorkItem, outcome: Done, emit: Emit) -> str:
        """Submit the result, retrying during an outage of the server until the lease expires."""
        args = submission(job, outcome)
        attempt = 0
        while True:
            attempt += 1
            try:
                submitted = await self._memory.submit_work(args)
            except MemoryUnreachable as error:
                emit("submit_delayed", attempt=attempt, reason=type(error).__name__)
                await asyncio.sleep(backoff(attempt + 1, _FIRST_PAUSE, _LONGEST_PAUSE))
                continue
            except MemoryRefused as error:
                log.warning("the server refused the result of job %s: %s", job.job_id, error)
                return "refused"
            return submitted.state

    async def _keep_lease(self, job: WorkItem) -> None:
        """Extend the lease of the job again and again. The method returns when the lease is lost."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + job.lease_seconds
        while loop.time() < ends:
            await asyncio.sleep(min(job.lease_seconds / 3, max(0.0, ends - loop.time())))
            try:
                await self._memory.extend_work(ExtendWorkArgs(job_id=job.job_id, fence=job.fence))
                ends = loop.time() + job.lease_seconds
            except MemoryUnreachable:
                continue
            except MemoryRefused as error:
                log.warning("the lease of job %s is lost: %s", job.job_id, error)
                self._emitter(job)("lease_lost", reason="refused")
                return
        self._emitter(job)("lease_lost", reason="not renewed in time")

    async def _fail(self, job: WorkItem, reason: str) -> None:
        args = FailWorkArgs(job_id=job.job_id, fence=job.fence, reason=reason[:500], retryable=True)
        try:
            await self._memory.fail_work(args)
        except (MemoryUnreachable, MemoryRefused) as error:
            log.warning("job %s could not be returned: %s", job.job_id, error)

    async def _hand_back(self, job: WorkItem) -> None:
        self._emitter(job)("work_handed_back")
        try:
            async with asyncio.timeout(_HAND_BACK_SECONDS):
                await self._fail(job, "the worker was stopped")
        except TimeoutError:
            log.warning("job %s was not returned; it stays claimed until its lease expires", job.job_id)

    def _emitter(self, job: WorkItem) -> Emit:
        return partial(self._emit, job=job.job_id, kind=job.kind)


async def _result_until(stop: asyncio.Event, doing: Coroutine[Any, Any, ResultT]) -> ResultT | None:
    with suppress(Stopped):
        return await unless_stopped(stop, doing)
    return None


async def done(
    work: WorkInput,
    chain: FallbackChain,
    emit: Emit,
    *,
    best_tier: Tier = TIERS[0],
    second_reading: bool = True,
    owner: str | None = None,
) -> Done:
    """The best tier's result. Pieces of work with the same `owner` may share a call."""
    if isinstance(work, SecondReadingInput):
        return await chain.first_result(reading_task(work), emit, best_tier=best_tier)
    if not isinstance(work, ExchangeInput):
        return await chain.first_result(summary_task(work), emit, best_tier=best_tier)
    first = await chain.first_result(exchange_task(work, emit), emit, best_tier=best_tier, together=owner)
    return await with_second_reading(work, first, chain, emit, admitted=second_reading, together=owner)


def submission(item: WorkItem, outcome: Done) -> SubmitWorkArgs:
    """The submission for a completed job."""
    return SubmitWorkArgs(
        job_id=item.job_id,
        fence=item.fence,
        result=outcome.result,
        model=outcome.model,
        tier=outcome.tier,
        provisional=outcome.provisional,
        calls=outcome.calls,
    )
