"""Limits the rate of calls for each name with a token bucket."""

import time
from collections.abc import Callable

BURST_SECONDS = 10
"""The size of a bucket, in seconds. After a pause, all calls that are allowed within this time may come at once."""

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
