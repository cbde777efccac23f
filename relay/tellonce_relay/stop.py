"""Waits that end when the process is stopped."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class Stopped(Exception):
    """The process was stopped before the work was done; the work was cancelled."""


async def unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """The work's result. Raises Stopped, and what the work raises."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Stopped
    finally:
        stopping.cancel()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def pause_or_stop(stop: asyncio.Event, seconds: float) -> bool:
    """Wait for `seconds`. Returns whether the process was stopped meanwhile."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return True
    return False
