"""Runs a function on a short text directly, and on a long text in a thread, so that other calls are not blocked. A
thread that processes many texts lets the event loop run between them."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")

SMALL = 2_000
"""Maximum characters of a text that is processed on the event loop, which takes under 2 ms. A thread would add 0.1 ms
or more."""


async def offloaded(characters: int, work: Callable[[], ResultT]) -> ResultT:
    """The result of `work`, a pure function that processes a text of `characters` characters. If possible, call this
    before a transaction, so that the transaction does not wait."""
    return work() if characters <= SMALL else await asyncio.to_thread(work)


def in_turns(items: Iterable[ItemT]) -> Iterator[ItemT]:
    """The items, for a loop in a thread. After every few items, the thread releases the interpreter. Otherwise the
    event loop would wait up to 5 ms for it after each answer of the database."""
    for number, item in enumerate(items, 1):
        yield item
        if number % _TURN == 0:
            time.sleep(0)


_TURN = 8
"""Items between two releases. Most texts of a `forget` take 10 to 50 µs."""
