"""Emptying every cache that holds texts: what was forgotten must not stay in a server's memory either."""

from chatmem_server import attributes, claims, dating, dedup_guards, stemming, tokens


def clear() -> None:
    """For all readers of texts in this process."""
    attributes.attributes.cache_clear()
    claims.claims.cache_clear()
    dating.with_dates.cache_clear()
    dedup_guards.read.cache_clear()
    stemming.stem.cache_clear()
    tokens.clear_cache()
