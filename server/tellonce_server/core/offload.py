"""Runs work on a short text directly and on a long text in a thread, so that it does not block other calls."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

ResultT = TypeVar("ResultT")

SMALL = 2_000
"""Characters that are processed on the event loop. Any work on them takes under 2 ms; a thread costs 0.1 ms on a quiet
machine."""


async def offloaded(characters: int, work: Callable[[], ResultT]) -> ResultT:
    """The result of `work`, a pure function of a text of so many characters. Call it before a transaction where
    possible."""
    return work() if characters <= SMALL else await asyncio.to_thread(work)
