"""Processing a text takes time proportional to its length. The test covers every function that reads texts."""

import time
from collections.abc import Callable

import pytest

from tellonce.contract import MAX_TEXT_BYTES
from tellonce_text import caches
from tests.depth import depth
from tests.text_readers import NOT_READERS, READERS, SLOW, hostile_texts, public_readers

BYTES, CEILING = depth(MAX_TEXT_BYTES // 4, MAX_TEXT_BYTES), depth(50, 200)
"""The length of a text and its maximum cost, as a multiple of the time for reading each character of the longest text
once. This reading takes 0.5 ms on an idle machine."""
SLOW_BYTES, SLOW_CEILING = depth(MAX_TEXT_BYTES // 8, MAX_TEXT_BYTES), depth(200, 300)
"""The same for the slow functions. Most of them read a limited number of words, and a text of the shorter length has as
many."""
ATTEMPTS = 5

TEXTS = {length: hostile_texts(length) for length in {SLOW_BYTES, BYTES}}


def test_every_public_function_that_takes_a_text_is_held_to_the_ceiling() -> None:
    found = set(public_readers())
    assert found - READERS.keys() - NOT_READERS == set(), "add them to READERS in tests/text_readers.py"
    assert NOT_READERS - found == set()
    assert READERS.keys() >= SLOW


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_costs_a_bounded_number_of_looks_at_it(reader: str) -> None:
    ceiling, length = (SLOW_CEILING, SLOW_BYTES) if reader in SLOW else (CEILING, BYTES)
    costs = {name: _cost(READERS[reader], text, ceiling) for name, text in TEXTS[length].items()}
    assert {name: cost for name, cost in costs.items() if cost > ceiling} == {}


def _cost(read: Callable[[str], object], text: str, ceiling: float) -> float:
    """The time of `read`, as a multiple of the time for reading the longest text once. It is the minimum of several
    attempts, because other processes also use the processor."""
    costs: list[float] = []
    while len(costs) < ATTEMPTS and min(costs, default=ceiling + 1) > ceiling:
        caches.clear()
        costs.append(_seconds(lambda: read(text)) / _seconds(_look))
    return min(costs)


def _look() -> None:
    for character in "a" * MAX_TEXT_BYTES:
        character.isspace()


def _seconds(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return max(time.thread_time() - begun, 1e-6)
