"""Caches the vectors of recent questions, and embeds texts in advance if a user is likely to ask them as questions."""

import asyncio
import hashlib
from array import array
from collections import OrderedDict
from typing import Final

from tellonce_server.core.limits import RateLimit
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, Vector

MOST: Final = 2
"""Maximum number of texts that are embedded at the same time."""

RATE: Final = 10.0
"""Maximum texts per second on average. A faster client does not wait for answers."""

LONGEST: Final = 2_000
"""Maximum number of characters of a text. A longer text is hardly ever a question."""


class Foresight:
    """Fills the embedder's cache of questions. A vector that is late or missing does no harm."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._under_way: set[asyncio.Task[None]] = set()
        self._rate = RateLimit(RATE)

    def expect(self, text: str) -> None:
        """Embed the text soon, because a question with the same text is likely. Returns at once."""
        if len(text) > LONGEST or len(self._under_way) >= MOST or not self._embedder.ready:
            return
        if not self._rate.wait(self._embedder.model):
            task = asyncio.create_task(self._embed(text))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _embed(self, text: str) -> None:
        try:
            await self._embedder.embed([text], urgent=True)
        except EmbeddingUnavailable:
            return


SIZE = 2048
"""Maximum number of cached vectors. A vector of 384 dimensions takes 1.6 KB."""


class VectorCache:
    """Drops the least recently used entry first. Keys are hashes, so that forgotten text does not stay in memory."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()

    def get(self, text: str) -> Vector | None:
        key = _key(text)
        if key not in self._vectors:
            return None
        self._vectors.move_to_end(key)
        return self._vectors[key]

    def keep(self, text: str, vector: Vector) -> None:
        key = _key(text)
        self._vectors[key] = array("f", vector)
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
