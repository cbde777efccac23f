"""Stemming gives the same result in many concurrent threads, because erasures run concurrently."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tellonce_server.domain.erasure.targets import roots

WORDS = [
    f"{stem}{ending}"
    for stem in ("haus", "garten", "maison", "cuaderno", "кошк")
    for ending in ("", "en", "es", "ами", "er")
]


@pytest.fixture
def impatient() -> Iterator[None]:
    """Make Python switch between threads after a few steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient")
def test_a_words_roots_are_the_same_whichever_thread_asks() -> None:
    def read(_: int) -> list[frozenset[str]]:
        return [roots.__wrapped__(word) for _ in range(40) for word in WORDS]

    alone = read(0)
    with ThreadPoolExecutor(4) as threads:
        assert all(found == alone for found in threads.map(read, range(4)))
