"""Tries a call of the memory again while it is away; only for calls that may be repeated."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from chatmem.client import MemoryUnreachable

ResultT = TypeVar("ResultT")

PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between tries: a server that restarts is back within them."""


async def patiently(call: Callable[[], Awaitable[ResultT]], pauses: tuple[float, ...] = PAUSES) -> ResultT:
    """The call's result. Raises MemoryUnreachable when the last try failed too, and at once what else it raises."""
    for pause in pauses:
        try:
            return await call()
        except MemoryUnreachable:
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
    return await call()
