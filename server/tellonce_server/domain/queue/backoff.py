"""How long a job waits after an attempt that failed."""

import random
from datetime import timedelta

from tellonce.settings import QueuePolicy


def backoff(policy: QueuePolicy, attempts: int) -> timedelta:
    """Exponential in the counted attempts so far, capped; jitter takes up to half of it."""
    longest = min(policy.backoff_cap_seconds, policy.backoff_seconds * 2.0**attempts)
    return timedelta(seconds=longest * random.uniform(0.5, 1))
