"""Timeouts of tests: `HANGS` for events whose time is not guaranteed, and `promised` for events that must happen within
a given time."""

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

HANGS = 120.0
"""Seconds after which an event is considered missing, even on a busy machine."""

_WORK_SECONDS = 0.05


def promised(seconds: float) -> float:
    """The limit in seconds on this machine. It is the limit for an idle machine, multiplied by the slowness of this
    machine."""
    return seconds * max(1.0, _slowness(), os.getloadavg()[0] / (os.cpu_count() or 1))


async def until(holds: Callable[[], object | Awaitable[object]], seconds: float = HANGS) -> Any:
    """Poll until the result of `holds` is true, and return this result. This is for a state that sends no event when it
    changes. Raises TimeoutError."""
    pause = 0.01
    async with asyncio.timeout(seconds):
        while not (found := await result if inspect.isawaitable(result := holds()) else result):
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, 0.1)
    return found


def _slowness() -> float:
    """Elapsed seconds for one second of processor time. An idle machine has the value 1."""
    began, worked_before = time.perf_counter(), time.process_time()
    while (worked := time.process_time() - worked_before) < _WORK_SECONDS:
        pass
    return (time.perf_counter() - began) / worked
