"""Processing a text takes time proportional to its length. The test covers every function that reads texts."""

import time
from collections.abc import Callable
from functools import cache

import pytest

from tellonce.contract import MAX_TEXT_BYTES
from tellonce_text import caches
from tests.depth import depth
from tests.text_readers import NOT_READERS, READERS, SLOW, hostile_texts, public_readers

BYTES, CEILING = depth(MAX_TEXT_BYTES // 8, MAX_TEXT_BYTES), depth(50, 200)
"""The length of each text, and the maximum cost of reading this text. The cost is the reading time, divided by a
reference time. The reference time is for one look at each character of a text of maximum length (0.5 ms on an idle
machine)."""
SLOW_CEILING = 300
"""The maximum cost for the slow functions, with texts of either length. Most of these functions read a limited number
of words. The shorter texts also contain this number of words."""
ATTEMPTS = 5

TEXTS = hostile_texts(BYTES)


def test_every_public_function_that_takes_a_text_is_held_to_the_ceiling() -> None:
    found = set(public_readers())
    assert found - READERS.keys() - NOT_READERS == set(), "add them to READERS in tests/text_readers.py"
    assert NOT_READERS - found == set()
    assert READERS.keys() >= SLOW


@pytest.mark.parametrize("reader", READERS)
def test_a_long_text_costs_a_bounded_number_of_looks_at_it(reader: str) -> None:
    ceiling = SLOW_CEILING if reader in SLOW else CEILING
    costs = {name: _cost(READERS[reader], text, ceiling) for name, text in TEXTS.items()}
    assert {name: cost for name, cost in costs.items() if cost > ceiling} == {}


def _cost(read: Callable[[str], object], text: str, ceiling: float) -> float:
    """The time that `read` takes, divided by the reference time (see CEILING). A cost above the ceiling is
    measured again, because other processes also use the processor. The first measurement is divided by the fastest
    reference time. Each later measurement is divided by a new reference time, which is measured directly afterwards."""
    caches.clear()
    costs = [_seconds(lambda: read(text)) / _quickest_look()]
    while len(costs) < ATTEMPTS and min(costs) > ceiling:
        caches.clear()
        costs.append(_seconds(lambda: read(text)) / _seconds(_look))
    return min(costs)


@cache
def _quickest_look() -> float:
    return min(_seconds(_look) for _ in range(20))


def _look() -> None:
    for character in "a" * MAX_TEXT_BYTES:
        character.isspace()


def _seconds(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return max(time.thread_time() - begun, 1e-6)
