"""Caches the vectors of recent questions, so that a repeated question is embedded once. It stores no text."""

import hashlib
from array import array
from collections import OrderedDict

from tellonce_server.embedding.protocol import Vector

SIZE = 2048
"""Vectors kept; one of 384 dimensions takes 1.6 KB."""


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
