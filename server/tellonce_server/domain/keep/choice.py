"""Decides which of the scored sentences are kept, and which of the kept sentences are shown in contexts. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, mul
from typing import Final, Literal

from tellonce.work import NotableSentence
from tellonce_server.domain.keep.sentences import Sentence
from tellonce_server.embedding.protocol import Vector

SHOWN: Final = 0.9
"""Minimum log-odds of a sentence that contexts show. The measurements are in training/keep/README.md."""

SEARCHED: Final = -0.6
"""Minimum log-odds of a sentence that is kept for search only."""

CHANGE: Final = -0.75
"""Minimum log-odds of a short sentence that is similar to an earlier note, because it may state a change. Below
SEARCHED, it is kept for search only."""

CHANGE_WORDS: Final = 10
CHANGE_COSINE: Final = 0.5

SAME_COSINE: Final = 0.92
"""Minimum cosine of two sentences that count as the same. A lower value would merge "moved to Rome" and "moved from
Rome"."""

MOST_A_MESSAGE: Final = 2

WISH: Final = -0.5
"""Minimum `wish` log-odds of a wish. This value gives the fewest wrong decisions."""

DANGLES: Final = 0.5
"""Minimum `dangling` log-odds of a sentence that is kept together with the sentence before it."""

FRAGMENT_WORDS: Final = 4
"""A sentence of at most this many words is always kept together with the sentence before it."""

ORDER: Final = -1.0
"""Minimum log-odds of an order, such as `Remember that I am vegetarian`."""


# A few English patterns are enough, because the scorer finds most orders itself. A sentence that matches must also have
# a score of at least ORDER.
_POLITE: Final = r"(?:(?:and|so|ok(?:ay)?|also|please|pls|btw|hey)[,\s]+){0,3}"
_ORDER: Final = re.compile(
    rf"{_POLITE}(?:from now on|going forward|in (?:the )?future|(?:whenever|every time|each time) i\b|"
    rf"(?:always|never) (?!mind\b|again\b|ever\b|been\b|had\b|wanted\b|\w+ed\b))",
    re.IGNORECASE,
)
_REMEMBER: Final = re.compile(
    rf"{_POLITE}(?:can you |could you )?(?:remember|don'?t forget|keep in mind|(?:make a )?note|save)\b(?:\s+that\b(?! \w+ (?:when|where|we)\b)|\s*:|\s+(?:i|i'?m|my|we|our)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Scored:
    """One sentence of message `message_id`. All scores are log-odds."""

    message_id: int
    sentence: Sentence
    vector: Vector
    score: float
    wish: float = -1.0
    dangling: float = 0.0


def choose(scored: Iterable[Scored], kept: Sequence[Vector]) -> list[NotableSentence]:
    """At most two sentences per message, in order. `kept` are the unit vectors of the most similar earlier notes."""
    known = list(kept)
    notes: list[NotableSentence] = []
    likely = (one for one in scored if one.score >= min(CHANGE, ORDER))
    for _, message in groupby(likely, key=attrgetter("message_id")):
        chosen = _best(list(message), known)
        known += [one.vector for one, _ in chosen]
        notes += [_note(one, shown) for one, shown in chosen]
    return notes


def _best(message: Sequence[Scored], known: Sequence[Vector]) -> list[tuple[Scored, bool]]:
    """The sentences to keep from one message, and whether contexts show each of them."""
    similarity = [_nearest(one.vector, known) for one in message]
    tiers = [None if like > SAME_COSINE else _tier(one, like) for one, like in zip(message, similarity, strict=True)]
    wanted = [(at, shown) for at, shown in enumerate(tiers) if shown is not None]
    wanted.sort(key=lambda pair: (not pair[1], -message[pair[0]].score))
    chosen: list[int] = []
    for at, _ in wanted:
        if _nearest(message[at].vector, [message[other].vector for other in chosen]) <= SAME_COSINE:
            chosen.append(at)
    return _joined([(message[at], bool(tiers[at])) for at in sorted(chosen[:MOST_A_MESSAGE])])


def _joined(chosen: Sequence[tuple[Scored, bool]]) -> list[tuple[Scored, bool]]:
    """Without sentences that are stored together with the sentence after them."""
    kept: list[tuple[Scored, bool]] = []
    for one, shown in chosen:
        if kept and _dangles(one) and one.sentence.before == kept[-1][0].sentence.text:
            former, was_shown = kept.pop()
            one, shown = replace(one, score=max(one.score, former.score)), shown or was_shown
        kept.append((one, shown))
    return kept


def _tier(one: Scored, similarity: float) -> bool | None:
    """Whether contexts show the sentence, or None if it is not kept."""
    change = _is_change(one, similarity)
    if _is_order(one):
        return True
    if one.score >= SHOWN or (change and one.score >= SEARCHED):
        return one.sentence.before is not None or one.dangling < DANGLES
    return False if change or one.score >= SEARCHED else None


def _is_order(one: Scored) -> bool:
    return one.score >= ORDER and is_order(one.sentence.text)


def _dangles(one: Scored) -> bool:
    return one.dangling >= DANGLES or len(one.sentence.text.split()) <= FRAGMENT_WORDS


def _is_change(one: Scored, similarity: float) -> bool:
    text = one.sentence.text
    short = len(text.split()) <= CHANGE_WORDS
    return short and "?" not in text and one.score > CHANGE and similarity > CHANGE_COSINE


def _nearest(vector: Vector, others: Sequence[Vector]) -> float:
    """The greatest cosine of the vector and one of the unit vectors `others`, or 0 without others."""
    return max((sum(map(mul, vector, other)) for other in others), default=0.0)


def _note(one: Scored, shown: bool) -> NotableSentence:
    text = one.sentence.text
    group: Literal["fact", "wish"] = "wish" if one.wish >= WISH or is_order(text) else "fact"
    before = one.sentence.before if _dangles(one) else None
    return NotableSentence(
        message_id=one.message_id, text=text, score=one.score, group=group, shown=shown, before=before
    )


def is_order(text: str) -> bool:
    """Whether the sentence tells the assistant how to behave in the future, or to remember something."""
    return bool(_ORDER.match(text) or _REMEMBER.match(text))
