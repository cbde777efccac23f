"""If a side task fails, the log and the health report name the task. The task is restarted with growing pauses. If a
vital side task fails, the process ends."""

import asyncio
import logging
from collections.abc import Callable

import anyio
import pytest

from tellonce import shutdown
from tellonce.backoff import backoff
from tellonce.side_tasks import FIRST_PAUSE, LONGEST_PAUSE, MOST_FAILURES, STEADY_SECONDS, SideTask, SideTasks
from tellonce_cli.status import task_lines
from tests.patience import HANGS

pytestmark = pytest.mark.anyio


class Time:
    """A clock that advances when `sleep` is called. `sleeps` are the durations."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sleeps: list[float] = []
        self.passed = asyncio.Event()
        self.most = 3

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.sleeps.append(seconds)
        if len(self.sleeps) >= self.most:
            self.passed.set()
            await asyncio.Event().wait()


async def _watched(task: SideTask, time: Time, give_up: Callable[[], None] = lambda: None) -> SideTasks:
    tasks = SideTasks((task, SideTask("other", asyncio.Event().wait)), lambda: time.now, time.sleep, give_up)
    async with tasks.running():
        with anyio.fail_after(HANGS):
            await time.passed.wait()
        return SideTasks(tasks.tasks, _records=dict(tasks._records))


async def test_a_task_that_raises_is_logged_by_name_with_its_stack_and_started_again_after_longer_pauses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def breaks() -> None:
        raise KeyError("x")

    time = Time()
    shown = (await _watched(SideTask("tidying", breaks), time)).health
    assert time.sleeps == [1, 2, 4]
    assert shown["tidying"] == {"running": False, "failures": 3, "error": "KeyError"}
    assert shown["other"]["failures"] == 0
    assert ["side task tidying failed" in record.message for record in caplog.records] == [True] * 3
    assert all(record.exc_info is not None and record.levelno == logging.ERROR for record in caplog.records)
    assert task_lines({"tasks": shown, "blocked": 2}) == [
        "tasks      tidying failed 3 times (KeyError), starts again soon; the server's log says why",
        "delays     2 calls computed for over 250 ms while all others waited; the server's log names them",
    ]


async def test_a_task_that_returns_has_failed_too_unless_it_may_end() -> None:
    async def returns() -> None:
        return None

    time = Time()
    shown = (await _watched(SideTask("listening", returns), time)).health
    assert shown["listening"]["error"] == "SideTaskEnded"
    tasks = SideTasks((SideTask("schedule", returns, ends=True),))
    async with tasks.running():
        await tasks.ended(HANGS)
    assert tasks.health["schedule"] == {"running": False, "failures": 0, "error": None}


async def test_after_a_steady_run_the_pauses_start_over() -> None:
    time = Time()
    time.most = 4

    async def breaks_later() -> None:
        if len(time.sleeps) == 2:
            time.now += STEADY_SECONDS
        raise KeyError

    await _watched(SideTask("listening", breaks_later), time)
    assert time.sleeps == [1, 2, 1, 2]


async def test_a_vital_task_that_cannot_be_kept_running_ends_the_process() -> None:
    async def breaks() -> None:
        raise KeyError

    time = Time()
    time.most = MOST_FAILURES + 5
    given_up: list[int] = []

    def give_up() -> None:
        given_up.append(len(time.sleeps))
        time.passed.set()

    await _watched(SideTask("listening", breaks, vital=True), time, give_up)
    assert given_up == [MOST_FAILURES - 1]


def test_pauses_are_bounded() -> None:
    assert [backoff(n, FIRST_PAUSE, LONGEST_PAUSE, lambda: 1.0) for n in (1, 2, 100)] == [1, 2, LONGEST_PAUSE]


async def test_a_task_that_loses_its_cancellation_ends_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown, "CANCEL_SECONDS", 0.01)
    begun, lost = asyncio.Event(), 0

    async def loses_it() -> None:
        nonlocal lost
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            lost += 1
            if lost == 1:
                raise TimeoutError

    tasks = SideTasks((SideTask("listening", loses_it),), sleep=lambda _: asyncio.sleep(0))
    with anyio.fail_after(HANGS):
        async with tasks.running():
            await begun.wait()
    assert lost == 2
