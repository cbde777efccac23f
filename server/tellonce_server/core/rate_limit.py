"""Limits the rate of calls for each name with a token bucket."""

import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

BURST_SECONDS = 10
"""The size of a bucket, in seconds. After a pause, all calls that are allowed within this time may come at once."""

MOST_BUCKETS = 10_000


@dataclass
class _Bucket:
    tokens: float
    filled_at: float


class RateLimit:
    """One token bucket per name. `rate` is in calls per second; 0 disables the limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = rate * BURST_SECONDS
        self._clock = clock
        self._buckets: MutableMapping[str, _Bucket] = {}

    def wait(self, name: str) -> float:
        """Take one token. Returns 0, or the seconds until a token is available."""
        if not self._rate:
            return 0
        now = self._clock()
        bucket = self._buckets.get(name) or self._new(name, now)
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled_at) * self._rate)
        bucket.filled_at = now
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return 0
        return (1 - bucket.tokens) / self._rate

    def _new(self, name: str, now: float) -> _Bucket:
        if len(self._buckets) >= MOST_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        return self._buckets.setdefault(name, _Bucket(self._burst, now))
