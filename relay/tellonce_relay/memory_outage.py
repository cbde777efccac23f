"""Retries calls of the memory during an outage, and can notify people of the outage. The calls must be safe to
repeat."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tellonce.backoff import backoff
from tellonce.client import MemoryUnreachable

ResultT = TypeVar("ResultT")

SHORT = 15.0
"""A restarting server is available again within this many seconds."""

FOREVER = float("inf")
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 3.0

OnWait = Callable[[float], Awaitable[None]]


class Outage:
    """The current outage of the memory, if any, and the chats that were notified."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._notified: set[int] = set()

    def lasts(self) -> float:
        """Seconds since the outage began. The first call starts the outage and returns 0."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        return now - self._since

    def is_news(self, chat_id: int) -> bool:
        """Whether the chat has not been notified yet. After this call, the chat counts as notified."""
        if chat_id in self._notified:
            return False
        self._notified.add(chat_id)
        return True

    def is_over(self) -> None:
        """End the outage, because the memory has answered."""
        self._since = None
        self._notified.clear()


async def no_notice(seconds: float) -> None:
    """The default callback for `on_wait`, which notifies nobody."""


async def with_retries(
    call: Callable[[], Awaitable[ResultT]], seconds: float = SHORT, on_wait: OnWait = no_notice
) -> ResultT:
    """Call until the memory is reachable, and return the call's result. Before each pause, `on_wait` is called with the
    number of seconds waited so far. Raises MemoryUnreachable after `seconds`, and other errors at once."""
    started, tried = time.monotonic(), 0
    while True:
        tried += 1
        try:
            return await call()
        except MemoryUnreachable:
            waited, pause = time.monotonic() - started, backoff(tried, FIRST_PAUSE, LONGEST_PAUSE)
            if waited + pause > seconds:
                raise
            await on_wait(waited)
        await asyncio.sleep(pause)
