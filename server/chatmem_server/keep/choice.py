"""Which scored sentences are kept, and how: pure decisions on scores and likeness."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, mul
from typing import Final, Literal

from chatmem_server.embedding.protocol import Vector
from chatmem_server.keep.orders import is_order
from chatmem_server.keep.sentences import Sentence

SHOWN: Final = 0.65
"""Log-odds from which 7 of 100 kept sentences of everyday talk are junk or untrue (`python -m training.keep`)."""

SEARCHED: Final = 0.0
"""Log-odds from which a sentence is kept for search alone."""

CHANGE: Final = -0.75
"""Log-odds from which a short statement close to a kept one is taken for a change or an end of it."""

CHANGE_WORDS: Final = 10
CHANGE_COSINE: Final = 0.5

SAME_COSINE: Final = 0.92
"""Above it two sentences say the same; below, "moved to Rome" and "moved from Rome" would be one."""

MOST_A_MESSAGE: Final = 2

DANGLES: Final = 0.5
"""Log-odds from which a sentence is kept with the one before it."""

ORDER: Final = -1.0
"""Log-odds that a sentence with the form of an order or a request to remember needs."""


@dataclass(frozen=True)
class Scored:
    """One sentence of message `message_id`; all scores are log-odds."""

    message_id: int
    sentence: Sentence
    vector: Vector
    score: float
    wish: float = 0.0
    dangling: float = 0.0


@dataclass(frozen=True)
class NotableSentence:
    """A sentence of the user that the scorer finds worth keeping, verbatim."""

    message_id: int
    text: str
    score: float
    group: Literal["fact", "wish"]
    shown: bool
    before: str | None = None


def choose(scored: Iterable[Scored], kept: Sequence[Vector]) -> list[NotableSentence]:
    """At most two sentences a message, in their order. `kept`: unit vectors of notes kept before, the likeliest ones."""
    known = list(kept)
    notes: list[NotableSentence] = []
    likely = (one for one in scored if one.score >= min(CHANGE, ORDER))
    for _, message in groupby(likely, key=attrgetter("message_id")):
        chosen = _best(list(message), known)
        known += [one.vector for one, _ in chosen]
        notes += [_note(one, shown) for one, shown in chosen]
    return notes


def _best(message: Sequence[Scored], known: Sequence[Vector]) -> list[tuple[Scored, bool]]:
    """Those kept of one message, each with whether it is shown."""
    likeness = [_nearest(one.vector, known) for one in message]
    shown = [_is_shown(one, alike) for one, alike in zip(message, likeness, strict=True)]
    wanted = [
        at for at, one in enumerate(message) if (shown[at] or one.score >= SEARCHED) and likeness[at] <= SAME_COSINE
    ]
    chosen: list[int] = []
    for at in sorted(wanted, key=lambda at: (not shown[at], -message[at].score)):
        if _nearest(message[at].vector, [message[other].vector for other in chosen]) <= SAME_COSINE:
            chosen.append(at)
    return [(message[at], shown[at]) for at in sorted(chosen[:MOST_A_MESSAGE])]


def _is_shown(one: Scored, likeness: float) -> bool:
    return one.score >= SHOWN or _is_order(one) or _is_change(one, likeness)


def _is_order(one: Scored) -> bool:
    return one.score >= ORDER and is_order(one.sentence.text)


def _is_change(one: Scored, likeness: float) -> bool:
    text = one.sentence.text
    short = len(text.split()) <= CHANGE_WORDS
    return short and "?" not in text and one.score > CHANGE and likeness > CHANGE_COSINE


def _nearest(vector: Vector, others: Sequence[Vector]) -> float:
    """The greatest cosine of the unit vectors; 0 without others."""
    return max((sum(map(mul, vector, other)) for other in others), default=0.0)


def _note(one: Scored, shown: bool) -> NotableSentence:
    before = one.sentence.before if one.dangling >= DANGLES else None
    group: Literal["fact", "wish"] = "wish" if one.wish > 0 or is_order(one.sentence.text) else "fact"
    return NotableSentence(one.message_id, one.sentence.text, one.score, group, shown, before)
