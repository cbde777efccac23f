"""Computes the pause before a failed action is retried. All processes use this back-off."""

import random
from collections.abc import Callable

MOST_DOUBLINGS = 30


def backoff(
    failures: int, first: float, longest: float = float("inf"), jitter: Callable[[], float] = random.random
) -> float:
    """Seconds to wait after `failures` consecutive failures. After one failure, the pause is `first`. Each further
    failure doubles the pause. The maximum is `longest`.

    `jitter` returns a number in [0, 1) that shortens the pause: 0 halves it, and a number near 1 leaves it almost
    unchanged. By default, the number is random, so that clients do not all retry at the same time.
    """
    whole = min(longest, first * 2.0 ** min(max(failures - 1, 0), MOST_DOUBLINGS))
    return whole * (0.5 + 0.5 * jitter())
