"""The agent's loop with a scripted server: claims, leases, restarts of the server, and stopping."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.work import (
    ClaimedWork,
    ClaimWorkArgs,
    Extended,
    ExtendWorkArgs,
    Failed,
    FailWorkArgs,
    Submitted,
    SubmitWorkArgs,
    Tier,
    WorkItem,
)
from tellonce_llm.breaker import Breaker, Guarded
from tellonce_llm.errors import LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion
from tellonce_summarizer.agent import agent as agent_module
from tellonce_summarizer.agent.agent import Agent, AgentOptions
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.event_collector import EventCollector
from tests.patience import HANGS, promised
from tests.summarizer.conversations import chunk, exchange, job

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 2, 18, tzinfo=UTC)


@dataclass
class FakeMemory:
    """A scripted server that hands out jobs, records results, and fails on demand."""

    jobs: list[WorkItem] = field(default_factory=list)
    claims: list[ClaimWorkArgs] = field(default_factory=list)
    submitted: list[SubmitWorkArgs] = field(default_factory=list)
    failed: list[FailWorkArgs] = field(default_factory=list)
    extended: list[ExtendWorkArgs] = field(default_factory=list)
    claim_errors: list[Exception] = field(default_factory=list)
    submit_errors: list[Exception] = field(default_factory=list)
    extend_error: Exception | None = None
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def claim_work(self, args: ClaimWorkArgs) -> ClaimedWork:
        self.claims.append(args)
        await self._tell()
        if self.claim_errors:
            raise self.claim_errors.pop(0)
        if not self.jobs:
            await asyncio.sleep(args.wait_seconds)
        given, self.jobs = self.jobs[: args.limit], self.jobs[args.limit :]
        return ClaimedWork(jobs=tuple(given))

    async def extend_work(self, args: ExtendWorkArgs) -> Extended:
        self.extended.append(args)
        await self._tell()
        if self.extend_error is not None:
            raise self.extend_error
        return Extended(lease_until=NOW)

    async def submit_work(self, args: SubmitWorkArgs) -> Submitted:
        if self.submit_errors:
            raise self.submit_errors.pop(0)
        self.submitted.append(args)
        await self._tell()
        return Submitted(job_id=args.job_id, state="complete")

    async def fail_work(self, args: FailWorkArgs) -> Failed:
        self.failed.append(args)
        await self._tell()
        return Failed(state="pending_summarization", attempts=1, retry_at=None)

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANGS), self.changed:
            await self.changed.wait_for(condition)


@dataclass
class SlowModel:
    """A model that answers only when the test allows it, and counts waiting calls."""

    name: str = "slow"
    tier: Tier = "claude"
    let: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0
    most_waiting: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(self, request: Completion) -> Answer:
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        self.asked.set()
        try:
            await self.let.wait()
        finally:
            self.waiting -= 1
        raise LLMUnavailable(self.name, "gone")

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        raise NotImplementedError
        yield ""


class BadModel(SlowModel):
    """A model that answers at once, but never with a usable answer."""

    async def complete(self, request: Completion) -> Answer:
        raise LLMUnusable(self.name, "not JSON")


@dataclass
class Bench:
    memory: FakeMemory
    stop: asyncio.Event
    events: EventCollector
    task: asyncio.Task[None]

    def fields_of(self, event: str) -> list[dict[str, object]]:
        return self.events.fields_of(event)


@asynccontextmanager
async def working(
    memory: FakeMemory,
    chain: FallbackChain | None = None,
    *,
    concurrency: int = 2,
    wait: float = 5,
    finish: float = HANGS / 2,
) -> AsyncIterator[Bench]:
    events = EventCollector()
    stop = asyncio.Event()
    options = AgentOptions("tester", concurrency, wait_seconds=wait, finish_seconds=finish)
    worker = Agent(memory, chain or FallbackChain([]), options, events)
    task = asyncio.create_task(worker.run(stop))
    try:
        yield Bench(memory, stop, events, task)
    finally:
        stop.set()
        async with asyncio.timeout(HANGS):
            await task


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_module, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(agent_module, "_LONGEST_PAUSE", 0.01)


async def test_work_is_claimed_done_and_submitted_under_its_fence() -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    parent = f"00-{trace}-00f067aa0ba902b7-01"
    memory = FakeMemory(jobs=[job(exchange("I live in Berlin"), 1, fence=7, traceparent=parent), job(chunk(), 2)])
    async with working(memory) as bench:
        await memory.until(lambda: len(memory.submitted) == 2)
    first = next(args for args in memory.submitted if args.job_id == "1:1:1")
    assert (first.fence, first.tier, first.provisional) == (7, "keep", True)
    assert first.result.kind == "exchange"
    assert memory.claims[0].worker == "tester"
    assert memory.claims[0].best_tier == "keep"
    assert not memory.failed
    continued = {fields["traceId"] for fields in bench.fields_of("work_done") if fields["job"] == "1:1:1"}
    assert continued == {trace}, "the work belongs to the trace of the turn that queued it"


async def test_a_server_that_is_away_is_asked_again_until_it_is_back() -> None:
    memory = FakeMemory(jobs=[job(chunk())], claim_errors=[MemoryUnreachable("restarting")] * 5)
    async with working(memory) as bench:
        await memory.until(lambda: len(memory.submitted) == 1)
    assert len(bench.fields_of("claim_failed")) == 5


async def test_a_result_is_handed_in_again_when_the_server_was_away() -> None:
    memory = FakeMemory(jobs=[job(chunk())], submit_errors=[MemoryUnreachable("restarting")] * 3)
    async with working(memory) as bench:
        await memory.until(lambda: len(memory.submitted) == 1)
    assert len(bench.fields_of("submit_delayed")) == 3


async def test_a_void_fence_ends_the_matter() -> None:
    memory = FakeMemory(jobs=[job(chunk(), 1), job(chunk(), 2)], submit_errors=[MemoryRefused("fence 1 is void")])
    async with working(memory, concurrency=1) as bench:
        await memory.until(lambda: len(memory.submitted) == 1)
    assert [args.job_id for args in memory.submitted] == ["1:1:2"]
    assert [fields["state"] for fields in bench.fields_of("work_done")] == ["refused", "complete"]
    assert not memory.failed


async def test_the_lease_is_kept_while_a_model_thinks() -> None:
    model = SlowModel()
    memory = FakeMemory(jobs=[job(chunk(), lease_seconds=0.03)])
    async with working(memory, FallbackChain([Step(Guarded(model), 60)])):
        await memory.until(lambda: len(memory.extended) >= 4)
        assert not memory.submitted
        model.let.set()
        await memory.until(lambda: len(memory.submitted) == 1)
    assert memory.submitted[0].provisional


async def test_a_lost_lease_ends_the_work_without_a_result() -> None:
    model = SlowModel()
    memory = FakeMemory(jobs=[job(chunk(), lease_seconds=0.03)], extend_error=MemoryRefused("claimed by another"))
    async with working(memory, FallbackChain([Step(Guarded(model), 60)]), concurrency=1) as bench:
        await memory.until(lambda: len(memory.claims) >= 2)
    assert bench.fields_of("lease_lost")
    assert model.waiting == 0
    assert not memory.submitted
    assert not memory.failed


async def test_no_more_jobs_run_at_once_than_allowed() -> None:
    model = SlowModel()
    memory = FakeMemory(jobs=[job(chunk(), number) for number in range(1, 7)])
    async with working(memory, FallbackChain([Step(Guarded(model), 60)]), concurrency=3):
        await asyncio.wait_for(model.asked.wait(), HANGS)
        model.let.set()
        await memory.until(lambda: len(memory.submitted) == 6)
    assert model.most_waiting <= 3
    assert all(claim.limit <= 3 for claim in memory.claims)


async def test_an_idle_agent_stops_at_once() -> None:
    memory = FakeMemory()
    async with working(memory, wait=60) as bench:
        await memory.until(lambda: len(memory.claims) == 1)
        bench.stop.set()
        async with asyncio.timeout(promised(5)):
            await bench.task


async def test_a_stopping_agent_finishes_what_is_nearly_done() -> None:
    model = SlowModel()
    memory = FakeMemory(jobs=[job(chunk())])
    async with working(memory, FallbackChain([Step(Guarded(model), 60)])) as bench:
        await asyncio.wait_for(model.asked.wait(), HANGS)
        bench.stop.set()
        model.let.set()
        async with asyncio.timeout(promised(5)):
            await bench.task
    assert len(memory.submitted) == 1
    assert not memory.failed


async def test_a_stopping_agent_hands_back_what_takes_too_long() -> None:
    model = SlowModel()
    memory = FakeMemory(jobs=[job(chunk())])
    async with working(memory, FallbackChain([Step(Guarded(model), 60)]), finish=0.05) as bench:
        await asyncio.wait_for(model.asked.wait(), HANGS)
        bench.stop.set()
        async with asyncio.timeout(promised(5)):
            await bench.task
    assert not memory.submitted
    (back,) = memory.failed
    assert back.retryable
    assert model.waiting == 0


async def test_a_job_that_breaks_our_code_is_failed_and_the_next_one_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = agent_module.done

    async def breaks_once(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(agent_module, "done", real)
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(agent_module, "done", breaks_once)
    memory = FakeMemory(jobs=[job(chunk(), 1), job(chunk(), 2)])
    async with working(memory, concurrency=1):
        await memory.until(lambda: len(memory.submitted) == 1)
    assert [args.job_id for args in memory.failed] == ["1:1:1"]
    assert memory.failed[0].retryable
    assert "ZeroDivisionError" in memory.failed[0].reason
    assert "a bug" in caplog.text


async def test_redoing_is_not_asked_for_when_it_would_only_repeat_the_provisional_result() -> None:
    chain = FallbackChain([Step(Guarded(BadModel()), 60)])
    memory = FakeMemory(jobs=[job(chunk())])
    async with working(memory, chain, concurrency=1):
        await memory.until(lambda: len(memory.claims) >= 2)
    assert [claim.best_tier for claim in memory.claims[:2]] == ["claude", "keep"]
    assert chain.best_tier() == "claude"


async def test_a_chat_with_no_calls_left_keeps_no_other_chat_from_being_redone() -> None:
    chain = FallbackChain([Step(Guarded(BadModel()), 60)])
    memory = FakeMemory(jobs=[job(chunk(), best_tier="keep")])
    async with working(memory, chain, concurrency=1):
        await memory.until(lambda: len(memory.claims) >= 2)
    assert [claim.best_tier for claim in memory.claims[:2]] == ["claude", "claude"]


async def test_redoing_is_asked_for_again_when_a_better_tier_is_back() -> None:
    now = [0.0]
    breaker = Breaker(clock=lambda: now[0])
    breaker.failed()
    memory = FakeMemory(jobs=[job(chunk())])
    async with working(memory, FallbackChain([Step(Guarded(SlowModel(), breaker), 60)]), concurrency=1):
        await memory.until(lambda: len(memory.submitted) == 1)
        now[0] = 1000.0
        await memory.until(
            lambda: bool(memory.claims) and memory.claims[-1].best_tier == "claude" and len(memory.claims) > 1
        )
    assert memory.submitted[0].provisional
