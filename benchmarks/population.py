"""Generates a seeded population for load tests: chats with their sizes, texts and vectors. The generator does not use a
database.

The words are made of random syllables, Zipf-distributed and mixed with real stop words. The vectors are synthetic. Each
topic is a point in a 64-dimensional subspace around the embedding model's own mean. A vector is the point of its topic
plus noise. Costs measured with this data are realistic; recall is not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

SMALL_CHAT: Final = 560
BIG_CHAT: Final = 50_000
MEASURED_OWNER: Final = 1_001
"""The owner whose private chat of 560 messages is measured. The chat has the same id as the owner."""

BIG_OWNER: Final = 1_002
"""The owner of a private chat with 50,000 messages. Only a large population has this owner. The chat has the same id as
the owner."""

_FIRST_OTHER: Final = 10_000
# The sizes of the other chats. The first number of a pair is the size of a chat in messages. The second number is the
# share of the remaining messages that is in chats of this size.
_OTHERS: Final = ((5_000, 0.3), (SMALL_CHAT, 0.4), (26, 0.3))
_TOPICS, _SUBSPACE, DIMENSIONS = 5_000, 64, 384
_WORDS: Final = 20_000
_STOP: Final = "the a of to and in is it was for on that with as I you at my we this be have not but are so".split()
_SYLLABLES: Final = [c + v for c in "bcdfghklmnprstvz" for v in "aeiou"]

Array = Any
"""A numpy array."""


@dataclass(frozen=True)
class Chat:
    """A chat. A private chat has the same number as its owner, who may also have a personal group."""

    owner: int
    chat: int
    size: int


def chats(messages: int) -> list[Chat]:
    """Return chats with `messages` messages in total; the two chats that are measured come first."""
    out = [Chat(MEASURED_OWNER, MEASURED_OWNER, SMALL_CHAT)]
    if messages >= 2 * BIG_CHAT:
        out.append(Chat(BIG_OWNER, BIG_OWNER, BIG_CHAT))
    left = messages - sum(chat.size for chat in out)
    number = _FIRST_OTHER
    for size, share in _OTHERS:
        for _ in range(int(left * share / size)):
            number += 1
            # Every third small chat is a group that belongs to the owner of the previous chat.
            shared = size < SMALL_CHAT and number % 3 == 0
            out.append(Chat(number - shared, -number if shared else number, size))
    return out


def arrivals(rng: np.random.Generator, population: Sequence[Chat]) -> Iterator[tuple[int, int]]:
    """For every message, in order of arrival, yield two numbers: the index of the message's chat, and the message's
    number in this chat. All chats are active at once."""
    order = np.repeat(np.arange(len(population)), [chat.size for chat in population])
    rng.shuffle(order)
    counted = [0] * len(population)
    for index in order.tolist():
        counted[index] += 1
        yield index, counted[index]


class Words:
    """Generates texts of a given length from a vocabulary with few common and many rare words."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._words = [*_STOP, *_made_up(np.random.default_rng(1), _WORDS)]
        shares = np.concatenate([np.full(len(_STOP), 0.35 / len(_STOP)), _zipf(_WORDS) * 0.65])
        self._ends = np.cumsum(shares / shares.sum())

    def texts(self, count: int, mean_words: int) -> list[str]:
        lengths = np.clip(self._rng.poisson(mean_words, count), 3, None)
        picked = np.searchsorted(self._ends, self._rng.random(int(lengths.sum()))).tolist()
        words = [self._words[min(index, len(self._words) - 1)] for index in picked]
        ends = np.cumsum(lengths).tolist()
        return [" ".join(words[end - n : end]) + "." for end, n in zip(ends, lengths.tolist(), strict=True)]

    def query(self, rng: np.random.Generator, count: int = 6) -> str:
        """A question with words of medium frequency."""
        found = [self._words[len(_STOP) + int(n)] for n in rng.integers(20, 3_000, count)]
        return f"What was it about the {' '.join(found)}?"


class Vectors:
    """Generates unit vectors grouped in topics around the embedding model's mean."""

    def __init__(self, rng: np.random.Generator, mean: Sequence[float]) -> None:
        self._rng = rng
        self.mean: Array = np.array(mean, np.float32)
        basis = rng.standard_normal((_SUBSPACE, DIMENSIONS), np.float32)
        self._topics = _unit(rng.standard_normal((_TOPICS, _SUBSPACE), np.float32) @ basis)

    def some(self, count: int) -> Array:
        """`count` vectors of random topics, float32."""
        topics = self._topics[self._rng.integers(0, _TOPICS, count)]
        noise = _unit(self._rng.standard_normal((count, DIMENSIONS), np.float32))
        return _unit(self.mean + 0.6 * topics + 0.6 * noise)


def halfvecs(vectors: Array) -> list[bytes]:
    """The vectors in pgvector's binary format: dimensions and zero, then big-endian float16 values."""
    head = np.full((len(vectors), 1), DIMENSIONS, ">u2").tobytes()[:2] + b"\0\0"
    return [head + row.tobytes() for row in vectors.astype(">f2")]


def codes(vectors: Array, mean: Array) -> list[bytes]:
    """Return a code for each vector: one bit per dimension, which says whether the vector's value is above the mean
    value."""
    return [row.tobytes() for row in np.packbits(vectors > mean, axis=1)]


def _unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _zipf(count: int) -> Array:
    weights = 1.0 / (np.arange(count) + 10.0)
    return weights / weights.sum()


def _made_up(rng: np.random.Generator, count: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(rng.choice(_SYLLABLES, rng.integers(2, 5)))] = None
    return list(found)
