"""If a server's side task fails, it is restarted and the health page shows the failure. The page also shows a blocked
event loop."""

import asyncio
import time
from typing import Any

import pytest

from tellonce.settings import ServerSettings
from tellonce_server.app import background
from tellonce_server.app.loop_watch import BEAT_SECONDS, LIMIT_SECONDS, LoopWatch
from tellonce_server.app.metrics import Metrics
from tellonce_server.app.storage import Storage
from tellonce_server.domain.queue.work import WorkQueue
from tests.memory_fixtures import opened
from tests.patience import until

pytestmark = pytest.mark.anyio


async def test_a_side_task_with_a_defect_is_shown_and_runs_again(
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tidy, calls = WorkQueue.tidy, list[int]()

    async def breaks_once(queue: WorkQueue) -> Any:
        calls.append(1)
        if len(calls) == 2:  # call 1 is made at the start
            raise KeyError
        return await tidy(queue)

    monkeypatch.setattr(WorkQueue, "tidy", breaks_once)
    monkeypatch.setattr(background, "TIDY_SECONDS", 0.01)
    async with opened(Storage(settings)) as memory:
        await until(lambda: len(calls) >= 3)
        health = await memory.storage.health()
    assert health["ready"]
    assert health["tasks"]["tidying"] == {"running": True, "failures": 1, "error": "KeyError"}
    assert {task["running"] for task in health["tasks"].values()} == {True}
    assert "side task tidying failed" in caplog.text


def _holds_the_loop() -> None:
    ends = time.process_time() + 3 * (LIMIT_SECONDS + BEAT_SECONDS)
    while time.process_time() < ends:
        pass


async def test_a_call_that_holds_the_event_loop_is_named_once_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    watch = LoopWatch()
    with watch.watching():
        await asyncio.sleep(0)
        _holds_the_loop()
        await until(lambda: watch.episodes)
    assert watch.episodes == 1
    assert _holds_the_loop.__name__ in caplog.text


def _computes(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


async def test_short_calls_before_a_longer_one_do_not_count_as_its_work() -> None:
    for _ in range(5):  # the watch looks only ten times a second
        watch = LoopWatch()
        with watch.watching():
            for seconds in [BEAT_SECONDS / 10] * 8 + [0.99 * LIMIT_SECONDS]:
                await asyncio.sleep(0)
                _computes(seconds)
        assert watch.episodes == 0


async def test_without_a_clock_for_one_thread_the_number_of_long_calls_is_not_shown(
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(Storage(settings)) as memory:
        assert b"tellonce_event_loop_blocked_total 0" in await Metrics(memory.storage).text()
    monkeypatch.delattr(time, "pthread_getcpuclockid")
    async with opened(Storage(settings)) as memory:
        assert (await memory.storage.health())["blocked"] is None
        assert b"event_loop_blocked" not in await Metrics(memory.storage).text()


async def test_a_wait_for_the_machine_is_not_the_calls_own_work() -> None:
    watch = LoopWatch()
    with watch.watching():
        await asyncio.sleep(0)
        time.sleep(3 * (LIMIT_SECONDS + BEAT_SECONDS))  # noqa: ASYNC251  # as if the process got no processor
    assert watch.episodes == 0
