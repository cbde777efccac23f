"""Runs a function on a short text directly, and on a long text in a thread, so that other calls are not blocked."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

ResultT = TypeVar("ResultT")

SMALL = 2_000
"""Maximum number of characters that are processed on the event loop. This takes less than 2 ms; a thread would add 0.1
ms or more."""


async def offloaded(characters: int, work: Callable[[], ResultT]) -> ResultT:
    """The result of `work`, a pure function that processes a text of `characters` characters. Call this before a
    transaction begins, so that the transaction does not wait for `work`."""
    return work() if characters <= SMALL else await asyncio.to_thread(work)
