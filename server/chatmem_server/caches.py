"""Emptying every cache that holds texts: what was forgotten must not stay in a server's memory either."""

from chatmem_server.context import lines
from chatmem_server.erasure import word_forms
from chatmem_server.memories import claims
from chatmem_server.retrieval import signals
from chatmem_server.text import secrets, stemming, tokens


def clear() -> None:
    """For all readers of texts in this process."""
    claims.claims.cache_clear()
    lines.clear_cache()
    secrets.may_hold.cache_clear()
    signals.clear_cache()
    stemming.stem.cache_clear()
    tokens.clear_cache()
    word_forms.roots.cache_clear()
