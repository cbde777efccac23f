"""How long a job waits after a failed attempt."""

import random
from datetime import timedelta

from tellonce.settings import QueuePolicy


def backoff(policy: QueuePolicy, attempts: int) -> timedelta:
    """The pause: exponential in the counted attempts, capped, with jitter of up to half of it."""
    longest = min(policy.backoff_cap_seconds, policy.backoff_seconds * 2.0**attempts)
    return timedelta(seconds=longest * random.uniform(0.5, 1))
