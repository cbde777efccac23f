"""If a server's side task fails, it is restarted and the health page shows the failure. The page also shows a blocked
event loop."""

import asyncio
import time
from typing import Any

import pytest

from tellonce.settings import ServerSettings
from tellonce_server.app import background
from tellonce_server.app.loop_watch import BEAT_SECONDS, LIMIT_SECONDS, LoopWatch
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


async def test_a_wait_for_the_machine_is_not_the_calls_own_work() -> None:
    watch = LoopWatch()
    with watch.watching():
        await asyncio.sleep(0)
        time.sleep(3 * (LIMIT_SECONDS + BEAT_SECONDS))  # noqa: ASYNC251  # as if the process got no processor
    assert watch.episodes == 0
