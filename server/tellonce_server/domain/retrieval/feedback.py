"""Relevance feedback: prefers messages that share words with the best matches of a question. Pure.

The best matches contain words that the question lacks ("tuning fork"). Other messages about the subject contain them
too.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tellonce_server.domain.retrieval.signals import Floats, scale
from tellonce_text.caches import of_texts

Codes: TypeAlias = NDArray[np.intp]

BEST: Final = 10
"""Number of best messages from which words are taken."""

FEWEST: Final = 2 * BEST
"""Minimum number of candidates. With fewer candidates, common words are weak evidence of a common subject."""

WORDS: Final = 20
"""Number of words that are taken from the best messages."""

COMMON: Final = 0.2
"""Words that occur in at least this share of the candidates are ignored."""

FALLOFF: Final = 2.0
"""The share of a message is proportional to `exp((score - best_score) / FALLOFF)`."""

CODES: Final = 1 << 15
"""Number of different codes for words. All candidates are compared at once by these codes."""

_WORD: Final = re.compile(r"\w{3,}")


def feedback(question: str, texts: Sequence[str], scores: Floats) -> Floats:
    """A score for each candidate, in standard deviations from the mean. The score is high if the best other candidates
    contain the candidate's words. Rare words have more weight. Words of the question are ignored, because the scores
    already include them."""
    size = len(texts)
    if size < FEWEST:
        return np.zeros(size)
    codes = [_codes(text) for text in texts]
    word = np.concatenate(codes)
    message = np.repeat(np.arange(size), [len(one) for one in codes])
    share = _shares(scores)[message]
    given = _sums(word, share, CODES)
    given[_codes(question)] = 0.0
    rarity = _rarity(word, given, size)
    # A message's own share is deducted, so that no message supports itself.
    sums = _sums(message, rarity[word] * (given[word] - share), size)
    return scale(sums, 0.0).standard(sums)


def _sums(places: Codes, values: Floats, size: int) -> Floats:
    return np.bincount(places, weights=values, minlength=size).astype(np.float64, copy=False)


def _shares(scores: Floats) -> Floats:
    """The share of each message in the feedback. Only the best messages have one."""
    best = np.argsort(-scores, kind="stable")[:BEST]
    shares = np.zeros(len(scores))
    given: Floats = np.exp((scores[best] - scores[best[0]]) / FALLOFF)
    shares[best] = given / given.sum()
    return shares


def _rarity(word: Codes, given: Floats, size: int) -> Floats:
    """The inverse document frequency of each word from the best messages, or 0 for other words."""
    count = np.bincount(word, minlength=CODES)
    usable = np.flatnonzero((given > 0) & (count < COMMON * size))
    rarity = np.log(size / count[usable])
    chosen = np.argsort(-given[usable] * rarity, kind="stable")[:WORDS]
    found = np.zeros(CODES)
    found[usable[chosen]] = rarity[chosen]
    return found


@of_texts
@lru_cache(4_096)
def _codes(text: str) -> Codes:
    return np.array(sorted({crc32(word.encode()) % CODES for word in _WORD.findall(text.lower())}), np.intp)
