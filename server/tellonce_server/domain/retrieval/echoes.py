"""What only repeats the question, or what stands in a better message already, so that it is no evidence; pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tellonce_server.domain.retrieval.found import Found
from tellonce_server.domain.retrieval.signals import asking

SAME_QUESTION = 0.9
"""Cosine from which a question of the user is the one that is asked now, put in other words."""

REPEATED = 0.7
"""Share of an answer's word pairs that stand in what was found before it: then the answer repeats that."""

_WORD = re.compile(r"\w+")


def without_echoes(messages: Sequence[Found], query: str) -> list[Found]:
    """The messages, best first, without the question asked before and without answers that repeat a better message.

    Of the same words said twice by one person the better ranked stays. A long reply, whose text is not at hand, stays.
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
    """Only an answer of the assistant: what a person says again, they may mean again."""
    if found.role != "assistant" or found.speaker or found.routine or len(words) < 2:
        return False
    pairs = list(pairwise(words))
    return sum(pair in heard for pair in pairs) >= REPEATED * len(pairs)
