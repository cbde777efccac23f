"""If a server's side task fails, it is restarted and the health page shows the failure. The page also shows a blocked
event loop."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from tellonce.settings import ServerSettings
from tellonce_server.app import background
from tellonce_server.app.loop_watch import BEAT_SECONDS, LIMIT_SECONDS, LoopWatch, is_held
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


def _waits_for_the_system() -> None:
    time.sleep(3 * (LIMIT_SECONDS + BEAT_SECONDS))


@pytest.mark.parametrize("holds", [_holds_the_loop, _waits_for_the_system])
async def test_a_call_that_holds_the_event_loop_is_named_once_with_its_stack(
    caplog: pytest.LogCaptureFixture, holds: Callable[[], None]
) -> None:
    watch = LoopWatch()
    with watch.watching():
        await asyncio.sleep(0)
        holds()
        await until(lambda: watch.episodes)
    assert watch.episodes == 1
    assert holds.__name__ in caplog.text


def test_a_process_that_was_given_no_time_was_not_held_by_its_own_work() -> None:
    over = BEAT_SECONDS + LIMIT_SECONDS
    assert is_held(over, late=0.0, worked=0.0, runnable=False)
    assert is_held(5.0, late=4.7, worked=4.9, runnable=True)
    assert not is_held(5.0, late=4.7, worked=0.1, runnable=False)
    assert not is_held(5.0, late=0.0, worked=0.1, runnable=True)
    assert not is_held(over - 0.01, late=0.0, worked=over, runnable=True)
