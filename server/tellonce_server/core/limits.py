"""Limits that keep one call from delaying others: the rate of calls, the number of calls of one user at the same time,
the length of a text that is processed on the event loop, and the time for which a thread keeps the interpreter lock."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, TypeVar
from weakref import WeakValueDictionary

BURST_SECONDS = 10
"""The size of a bucket, in seconds. A full bucket allows as many calls at once as `rate` allows in this time."""

MOST_BUCKETS = 10_000


class RateLimit:
    """One token bucket per name. `rate` is in calls per second; 0 disables the limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = rate * BURST_SECONDS
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """For each name, the tokens in its bucket, and when they were counted."""

    def wait(self, name: str) -> float:
        """Take one token. Returns 0, or the seconds until a token is available."""
        if not self._rate:
            return 0
        now = self._clock()
        if name not in self._buckets and len(self._buckets) >= MOST_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        before, counted_at = self._buckets.get(name, (self._burst, now))
        tokens = min(self._burst, before + (now - counted_at) * self._rate)
        self._buckets[name] = (tokens - 1 if tokens >= 1 else tokens, now)
        return 0 if tokens >= 1 else (1 - tokens) / self._rate


MOST_CONCURRENT: Final = 6
"""Maximum simultaneous calls of one user: half the number of database connections."""


@dataclass
class _Permit:
    semaphore: asyncio.Semaphore
    held: bool = True


_CURRENT: Final[ContextVar[_Permit | None]] = ContextVar("permit", default=None)


class ConcurrencyLimit:
    """Gives each user at most `MOST_CONCURRENT` permits, so that one user's calls do not delay other users."""

    def __init__(self) -> None:
        self._of: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def permit(self, user_id: int | None) -> AsyncGenerator[None]:
        """Hold a permit of the user during the block. The relay has no user and no limit, because it makes the calls of
        many users."""
        if user_id is None:
            yield
            return
        semaphore = self._of.setdefault(user_id, asyncio.Semaphore(MOST_CONCURRENT))
        await semaphore.acquire()
        permit = _Permit(semaphore)
        token = _CURRENT.set(permit)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            if permit.held:
                semaphore.release()


@asynccontextmanager
async def without_permit() -> AsyncGenerator[None]:
    """Give up the permit of this call during the block, because the block waits for a person."""
    permit = _CURRENT.get()
    if permit is None:
        yield
        return
    permit.held = False
    permit.semaphore.release()
    yield
    await permit.semaphore.acquire()
    permit.held = True


ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")

SHORT_CHARACTERS = 2_000
"""Maximum characters of a text that is processed on the event loop. The processing takes less than 2 ms. A thread adds
0.1 ms or more."""


async def offloaded(characters: int, work: Callable[[], ResultT]) -> ResultT:
    """The result of `work`, a pure function over a text of `characters` characters. Call this before a transaction
    begins."""
    return work() if characters <= SHORT_CHARACTERS else await asyncio.to_thread(work)


WORK_SECONDS = 0.001
PAUSE_SECONDS = 0.00005
"""Shorter pauses are not reliable: the event loop's thread needs this time to wake up and take the interpreter lock."""


def paced(items: Iterable[ItemT]) -> Iterator[ItemT]:
    """The items, for a loop in a thread. After each millisecond of the loop, the thread sleeps shortly. The event loop
    can then take the interpreter lock, for which it would otherwise wait up to 5 ms, several times in a call."""
    pause_at = time.perf_counter() + WORK_SECONDS
    for item in items:
        yield item
        if time.perf_counter() >= pause_at:
            time.sleep(PAUSE_SECONDS)
            pause_at = time.perf_counter() + WORK_SECONDS
