"""Removes results that only repeat the question or a better message. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tellonce_server.domain.retrieval.found import Found
from tellonce_server.domain.retrieval.signals import asking

SAME_QUESTION = 0.9
"""Minimum cosine of an earlier question that is the current question in other words."""

REPEATED = 0.7
"""Minimum share of an answer's word pairs that occur in better results for it to count as a repetition."""

_WORD = re.compile(r"\w+")


def without_echoes(messages: Sequence[Found], query: str) -> list[Found]:
    """The messages, best first, without earlier copies of the question and answers that repeat a better message.

    If a person said the same words twice, the better ranked message stays. A long reply stays, because its text is not
    loaded.
    """
    kept: list[Found] = []
    said: set[tuple[str, ...]] = set()
    heard: set[tuple[str, str]] = set()
    asked = _words(query)
    for found in messages:
        words = _words(found.text)
        if _asks_again(found, words, asked) or words in said or _repeats(found, words, heard):
            continue
        kept.append(found)
        if words:
            said.add(words)
        heard.update(pairwise(words))
    return kept


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _asks_again(found: Found, words: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    if found.role != "user" or asking(found.text) < 1:
        return False
    return words == asked or (found.cosine or 0.0) >= SAME_QUESTION


def _repeats(found: Found, words: tuple[str, ...], heard: set[tuple[str, str]]) -> bool:
    """Whether an answer of the assistant repeats earlier words. A person who repeats something may mean it again."""
    if found.role != "assistant" or found.speaker or found.routine or len(words) < 2:
        return False
    pairs = list(pairwise(words))
    return sum(pair in heard for pair in pairs) >= REPEATED * len(pairs)
