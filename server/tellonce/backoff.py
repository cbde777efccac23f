"""Computes the pause before a failed action is retried. All processes use this back-off."""

import random
from collections.abc import Callable

MOST_DOUBLINGS = 30


def backoff(
    failures: int, first: float, longest: float = float("inf"), jitter: Callable[[], float] = random.random
) -> float:
    """The seconds to wait after so many consecutive failures: `first`, doubled for each further one, at most `longest`.

    `jitter` gives a number in [0, 1), by default random, so that clients do not all retry at once: 0 halves the pause,
    and nearly 1 keeps it.
    """
    whole = min(longest, first * 2.0 ** min(max(failures - 1, 0), MOST_DOUBLINGS))
    return whole * (0.5 + 0.5 * jitter())


def full_length() -> float:
    """A jitter function for pauses that always have their full length."""
    return 1.0
