"""Every cache of texts, so that all can be emptied: what was forgotten must not stay in a server's memory either."""

from typing import Protocol, TypeVar


class Cache(Protocol):
    """As `functools.lru_cache` makes it."""

    def cache_clear(self) -> None: ...


CacheT = TypeVar("CacheT", bound=Cache)

_OF_TEXTS: list[Cache] = []


def of_texts(cache: CacheT) -> CacheT:
    """Decorates a cached function whose arguments or results hold stored text."""
    _OF_TEXTS.append(cache)
    return cache


def clear() -> None:
    """Empty all caches of texts in this process."""
    for cache in _OF_TEXTS:
        cache.cache_clear()
