"""Finds echoes: replies of the assistant that mainly repeat what the user said before. Pure.

Without a model, the assistant's replies are quotations. They would rank above the quoted messages.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from tellonce_server.domain.retrieval.question import Question
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.domain.retrieval.signals import Candidate, Floats, asking
from tellonce_text.caches import of_texts

GRAM: Final = 3
"""Number of consecutive words that are compared. Texts without spaces have no echoes."""

LEAST_REPEATED: Final = 1 / 3
"""Minimum share of repeated groups of words in an echo. Its introduction can be longer than the quotation."""

SEVERAL: Final = 6
"""Minimum number of groups of words that a reply shares with a repeated text. Half of the text's groups are also
enough."""

BELOW: Final = 0.001
"""How far an echo's score is below the lowest score of the texts that it repeats."""

_WORD: Final = re.compile(r"\w+")
_REMEMBERED: Final = 512
"""Number of texts whose hashes are cached. A question has fewer candidates."""


class _Source(NamedTuple):
    """A text that may be repeated: a message of the user or a memory."""

    text: str
    at: datetime
    score: float


def below_sources(
    question: Question, candidates: Sequence[Candidate], scores: Floats, learned: Sequence[Result]
) -> Floats:
    """The scores, lowered so that each echo is below all earlier messages and memories that it repeats. `learned` are
    the memories and summaries. The scores are not lowered if the question asks for the assistant's words."""
    if question.asks_assistant:
        return scores
    replies = {i: _grams(c.head) for i, c in enumerate(candidates) if c.role == "assistant" and c.speaker is None}
    replied = frozenset[int]().union(*replies.values())
    if not replied:
        return scores
    said = zip(candidates, scores.tolist(), strict=True)
    stated = [_Source(c.head, c.sent_at, score) for c, score in said if c.role == "user" and asking(c.head) < 1]
    # Summaries are left out, because a summary can contain the very reply that would be its echo.
    stated += [_Source(found.text, found.at, found.score) for found in learned if found.kind != "summary"]
    holders: dict[int, list[int]] = {}
    for number, source in enumerate(stated):
        for gram in _grams(source.text) & replied:
            holders.setdefault(gram, []).append(number)
    lowered = scores.copy()
    for i, grams in replies.items():
        repeated = _repeated(grams, candidates[i].sent_at, stated, holders)
        if repeated:
            lowered[i] = min(lowered[i], min(source.score for source in repeated) - BELOW)
    return lowered


def _repeated(
    grams: Set[int], sent_at: datetime, stated: Sequence[_Source], holders: Mapping[int, Sequence[int]]
) -> list[_Source]:
    """The earlier texts that a reply repeats. `holders` maps each group of words to the texts that contain it, as
    indexes in `stated`."""
    shared = grams & holders.keys()
    if len(shared) < LEAST_REPEATED * len(grams):
        return []
    counts = Counter(number for gram in shared for number in holders[gram])
    found = {
        number
        for number, count in counts.items()
        if stated[number].at <= sent_at and count >= min(SEVERAL, len(_grams(stated[number].text)) / 2)
    }
    held = sum(not found.isdisjoint(holders[gram]) for gram in shared)
    return [stated[number] for number in found] if held >= LEAST_REPEATED * len(grams) else []


@of_texts
@lru_cache(_REMEMBERED)
def _grams(text: str) -> frozenset[int]:
    """The hashes of every GRAM consecutive words of the text."""
    words = _WORD.findall(text.casefold())
    return frozenset(map(hash, zip(*(words[i:] for i in range(GRAM)), strict=False)))
