"""Lists all caches that hold texts, so that forgotten text does not stay in a process."""

import re
from typing import Protocol, TypeVar


class Cache(Protocol):
    """The interface of `functools.lru_cache`."""

    def cache_clear(self) -> None: ...


CacheT = TypeVar("CacheT", bound=Cache)

_OF_TEXTS: list[Cache] = []


def of_texts(cache: CacheT) -> CacheT:
    """Decorator for a cached function with stored text in its arguments or results. `clear` empties its cache."""
    _OF_TEXTS.append(cache)
    return cache


def clear() -> None:
    """Empty all caches of texts in this process, and that of `re`, because some patterns contain stored texts."""
    for cache in _OF_TEXTS:
        cache.cache_clear()
    re.purge()
