"""Processing a text takes time proportional to its length. The test covers every function that reads texts."""

import time
from collections.abc import Callable

import pytest

from tellonce.contract import MAX_TEXT_BYTES
from tellonce_text import caches
from tests.depth import depth
from tests.text_readers import NOT_READERS, READERS, SLOW, hostile_texts, public_readers

LENGTH = depth(MAX_TEXT_BYTES // 4, MAX_TEXT_BYTES)
"""Bytes of each text. A deep run takes texts as long as a message may be."""
CEILING = 200
"""Maximum cost, as a multiple of the time for reading each character once. For the longest text, this reading takes
0.5 ms on an idle machine."""
SLOW_CEILING = depth(1_000, 400)
"""Most of these functions read a limited number of words, so a shorter text costs more for each of its characters."""
ATTEMPTS = 3

TEXTS = hostile_texts(LENGTH)


def test_every_public_function_that_takes_a_text_is_held_to_the_ceiling() -> None:
    found = set(public_readers())
    assert found - READERS.keys() - NOT_READERS == set(), "add them to READERS in tests/text_readers.py"
    assert NOT_READERS - found == set()
    assert READERS.keys() >= SLOW


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_costs_a_bounded_number_of_looks_at_it(reader: str) -> None:
    ceiling = SLOW_CEILING if reader in SLOW else CEILING
    over = {name: cost for name, text in TEXTS.items() if (cost := _cost(READERS[reader], text, ceiling)) > ceiling}
    assert over == {}


def _cost(read: Callable[[str], object], text: str, ceiling: float) -> float:
    """The time of `read`, as a multiple of the time for reading each character once. It is the minimum of several
    attempts, because other processes also use the processor."""
    costs: list[float] = []
    while len(costs) < ATTEMPTS and min(costs, default=ceiling + 1) > ceiling:
        caches.clear()
        costs.append(_seconds(lambda: read(text)) / _seconds(_look))
    return min(costs)


def _look() -> None:
    for character in "a" * LENGTH:
        character.isspace()


def _seconds(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return max(time.thread_time() - begun, 1e-6)
