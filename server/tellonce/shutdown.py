"""Stops a process gracefully: handles its signals, ends its waits early, and cancels its tasks."""

import asyncio
import os
import signal
import threading
from collections.abc import Collection, Coroutine
from typing import Any, TypeVar


def shutdown_requested() -> asyncio.Event:
    """An event that is set at the first SIGINT or SIGTERM. Call this function within a running event loop."""
    requested = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, requested.set)
    return requested


PARENT_PIPE = "TELLONCE_PARENT_PIPE"


def watch_parent() -> None:
    """Start a thread that sends SIGTERM to this process when its parent dies. The system then closes a pipe, whose
    descriptor is in the environment variable `PARENT_PIPE`."""
    name = os.environ.pop(PARENT_PIPE, None)
    if name is not None:
        threading.Thread(target=_wait_for_end, args=(int(name),), name="parent watch", daemon=True).start()


def _wait_for_end(descriptor: int) -> None:
    while os.read(descriptor, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


ResultT = TypeVar("ResultT")


CANCEL_SECONDS = 5.0
"""A cancelled task that has not ended after this many seconds is cancelled again."""


class Stopped(Exception):
    """The process was stopped before the work was done, so the work was cancelled."""


async def unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """The result of `work`, or its exception. Raises Stopped if `stop` is set first."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Stopped
    finally:
        await ended(working, stopping)


async def pause_or_stop(stop: asyncio.Event, seconds: float) -> bool:
    """Wait for `seconds`, or until the event is set. Returns whether the whole time passed."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await stop.wait()
    except TimeoutError:
        return True
    return False


async def drained(tasks: Collection[asyncio.Task[Any]], seconds: float) -> None:
    """Wait at most `seconds` for the tasks to end. Then cancel the tasks that still run."""
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=seconds)
    await ended(*late)


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Cancel the tasks and wait until they have ended. A task that does not end in time is cancelled again: an error in
    its clean-up can replace the cancellation."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CANCEL_SECONDS)
    # Read the errors of the tasks, which asyncio would log otherwise.
    await asyncio.gather(*tasks, return_exceptions=True)
