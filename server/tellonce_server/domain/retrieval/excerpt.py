"""Of a long message the sentences that answer; pure."""

import re

from tellonce_text.claims import content_stems
from tellonce_text.tokens import estimate

WHOLE = 160
"""Tokens up to which a message is shown whole."""

SHORTEST = 60
"""A long reply is shown in so few tokens where the budget is small."""

WHOLE_ROUTINE = 500
"""The same for a routine message: it stands in the window by its summary only, so here its words are wanted."""

_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*|\n+")


def excerpt(text: str, tokens: int, query: str, *, whole: int = WHOLE) -> str:
    """The whole text, if its `tokens` are at most `whole`; else its best sentences in their order, in so many tokens or
    WHOLE, with marks where something is left out."""
    if tokens <= whole:
        return text
    wanted = set(content_stems(query))
    sentences = [s.strip() for s in _SENTENCE.findall(text) if s.strip()]
    ranked = sorted(range(len(sentences)), key=lambda i: (-len(wanted & set(content_stems(sentences[i]))), i))
    chosen: list[int] = []
    room = min(whole, WHOLE)
    for index in ranked:
        price = estimate(sentences[index])
        if price <= room:
            chosen.append(index)
            room -= price
    return _joined(sentences, sorted(chosen))


def excerpts_of(total: int) -> int:
    """Tokens of a long reply in a context of so many: a quarter of it holds ten at the least."""
    return max(SHORTEST, min(WHOLE, total // 40))


def _joined(sentences: list[str], chosen: list[int]) -> str:
    parts: list[str] = []
    last = -1
    for index in chosen:
        parts += ["…"] if index != last + 1 else []
        parts.append(sentences[index])
        last = index
    return " ".join([*parts, *(["…"] if last != len(sentences) - 1 else [])])
