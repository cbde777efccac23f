"""While the memory is away: a call is tried again, and whoever waits can be told. Only for calls that may be repeated."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tellonce.client import MemoryUnreachable

ResultT = TypeVar("ResultT")

SHORT = 15.0
"""Seconds in which a server that restarts is back."""

FOREVER = float("inf")
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 3.0

Waiting = Callable[[float], Awaitable[None]]


class Outage:
    """The time the memory is away, if it is, and which chats were told."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._told: set[int] = set()

    def lasts(self) -> float:
        """Seconds since it began, which is now if nobody noticed it before."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        return now - self._since

    def is_news(self, chat_id: int) -> bool:
        """Once a chat."""
        if chat_id in self._told:
            return False
        self._told.add(chat_id)
        return True

    def is_over(self) -> None:
        """The memory answered."""
        self._since = None
        self._told.clear()


async def nobody_waits(seconds: float) -> None:
    """Where nobody is to be told."""


async def patiently(
    call: Callable[[], Awaitable[ResultT]], seconds: float = SHORT, waiting: Waiting = nobody_waits
) -> ResultT:
    """The call's result. `waiting` hears after each failure how many seconds it has been.

    Raises MemoryUnreachable when the memory was away for `seconds`, and at once what else the call raises.
    """
    started, pause = time.monotonic(), FIRST_PAUSE
    while True:
        try:
            return await call()
        except MemoryUnreachable:
            waited = time.monotonic() - started
            if waited + pause > seconds:
                raise
            await waiting(waited)
        await asyncio.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(LONGEST_PAUSE, pause * 2)
