"""Computes the pause before a failed action is retried. All processes use this back-off."""

import random
from collections.abc import Callable

MOST_DOUBLINGS = 30


def backoff(
    failures: int, first: float, longest: float = float("inf"), jitter: Callable[[], float] = random.random
) -> float:
    """Return the seconds to wait after `failures` consecutive failures: `first` after one failure, doubled for each
    further failure, but at most `longest`.

    `jitter` returns a number in [0, 1): 0 halves the pause, and a number close to 1 keeps nearly all of it. The number
    is random by default, so that clients do not all retry at the same moment.
    """
    whole = min(longest, first * 2.0 ** min(max(failures - 1, 0), MOST_DOUBLINGS))
    return whole * (0.5 + 0.5 * jitter())


def full_length() -> float:
    """A jitter function for pauses that always have their full length."""
    return 1.0
