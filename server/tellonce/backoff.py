"""Computes the pause before a failed action is retried. All processes use this back-off."""

import random
from collections.abc import Callable

MOST_DOUBLINGS = 30


def backoff(
    failures: int, first: float, longest: float = float("inf"), jitter: Callable[[], float] = random.random
) -> float:
    """Seconds to wait after `failures` consecutive failures: `first`, then doubled up to `longest`. `jitter` returns a
    number in [0, 1) that shortens the pause by up to half. By default, it is random, so that clients do not all retry
    at the same time."""
    whole = min(longest, first * 2.0 ** min(max(failures - 1, 0), MOST_DOUBLINGS))
    return whole * (0.5 + 0.5 * jitter())
