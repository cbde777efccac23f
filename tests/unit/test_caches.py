"""A server process caches few of the texts that it has read. After an erasure, it caches none of these texts."""

import importlib
import pkgutil
import re
import sys
import tracemalloc
from datetime import UTC, date, datetime
from functools import lru_cache
from inspect import get_annotations
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import pytest

import tellonce
import tellonce_server
import tellonce_text
from tellonce_server.store.context import Remembered
from tellonce_text import caches
from tellonce_text.dates.readings import Said

PACKAGES = (tellonce, tellonce_text, tellonce_server)
MOST_BYTES = 80_000_000
SAMPLE = 40
AT = datetime(2026, 2, 16, 9, 30, tzinfo=UTC)
ZONE = ZoneInfo("UTC")

Cache: TypeAlias = Any
"""A function with lru_cache whose argument is a text."""

CACHE: Any = type(lru_cache(len))


def caches_of_texts() -> dict[str, Cache]:
    """All caches of the server and of its packages. The key of a cache is the name of the cached function."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    ours = tuple(f"{package.__name__}." for package in PACKAGES)
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(ours)]
    caches_ = [x for module in modules for x in vars(module).values() if isinstance(x, CACHE)]
    return {f"{x.__module__}.{x.__name__}": x for x in caches_ if x.__module__.startswith(ours) and takes_text(x)}


def takes_text(cache: Cache) -> bool:
    """Whether the cached function takes a text or an object that contains a text. All other cached functions have no
    arguments, or take classes or names of languages. Their caches have a fixed size and contain no text."""
    first = next(iter(get_annotations(cache.__wrapped__).items()))
    return first[0] not in ("language", "return") and first[1] in (str, Remembered)


def read(cache: Cache, text: str) -> None:
    """Call the cached function with this text, or with a memory that contains this text. The other arguments have fixed
    values."""
    memory = Remembered(1, "fact", text, 42, 0.5, 0.5, False, None, AT, False, False, "user")
    values = {str: text, Remembered: memory, datetime: AT, date: AT.date(), ZoneInfo: ZONE, Said: Said(AT, ZONE)}
    arguments = cache.__wrapped__.__code__.co_varnames[: cache.__wrapped__.__code__.co_argcount]
    kinds = get_annotations(cache.__wrapped__)
    cache(*(values.get(kinds[name]) for name in arguments))


def statement(number: int) -> str:
    return (
        f"My sister Anna said on Monday, 16 February 2026 that locker {number} in Porto costs about {number} euros "
        f"a month and that my doctor's appointment number {number} is tomorrow at 9 because of the lanterns."
    )


@pytest.fixture(autouse=True)
def emptied() -> None:
    caches.clear()


def test_after_something_was_forgotten_no_cache_holds_a_text() -> None:
    found = caches_of_texts()
    for cache in found.values():
        read(cache, "My locker opens with zq81")
    re.compile("locker opens with zq81")  # like a literal that `forget` searches for
    assert all(cache.cache_info().currsize for cache in found.values())
    assert any("zq81" in str(pattern) for pattern in vars(re)["_cache"])
    caches.clear()
    assert not any("zq81" in str(pattern) for pattern in vars(re)["_cache"])
    assert {name: cache.cache_info().currsize for name, cache in found.items()} == dict.fromkeys(found, 0)


def test_all_caches_full_of_long_statements_take_a_bounded_part_of_the_servers_memory() -> None:
    def fill(cache: Cache) -> None:
        for number in range(SAMPLE):
            read(cache, statement(number))

    def filled(cache: Cache) -> int:
        """The bytes of this cache alone. The first call fills the other caches that the function uses."""
        fill(cache)
        cache.cache_clear()
        tracemalloc.start()
        try:
            fill(cache)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    full = {n: filled(c) * c.cache_info().maxsize // SAMPLE for n, c in caches_of_texts().items()}
    assert sum(full.values()) < MOST_BYTES, full
