"""How well a message answers a question: a few weighted signals, standardised over the candidates; pure.

The signals and their direction are those measured on public conversation corpora: scores fused by their standardised
value beat fused ranks, the user's own turns hold most evidence, neighbours and days carry part of their own.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, pstdev

from chatmem.contract import Role

# Weights, in standard deviations of the fused score. Positive where the meaning says so.
LEXICAL = 1.0
DENSE = 0.9
COVERAGE = 0.8
USER_TURN = 0.45
QUESTION = -0.6
FIRST_PERSON = 0.25
TIME = 1.2
TIME_WORDS = 0.3
BEFORE = 0.30
AFTER = 0.20
DAY = 0.25

K1 = 0.9
B = 0.6
_LONG_TOKENS = 60
"""Tokens of a middling message: longer ones match by chance more often (BM25's length normalisation)."""

MOST = 3.0
"""Standard deviations that count: one hit among a hundred misses would drown every other signal."""

_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|my|mine|me|we|our)\b", re.IGNORECASE)
_TIME_WORDS = re.compile(
    r"\b(?:\d{1,2}(?::\d\d)?\s*(?:am|pm)|\d{4}|today|yesterday|tomorrow|last|next|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"^\W*(?:when|what (?:time|day|date|year|month)|how long ago)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A message that may answer. `matched` are the query's lexemes it holds; `cosine` None where it was not measured."""

    chat_id: int
    id: int
    thread_key: str
    lane_no: int
    role: Role
    text: str
    tokens: int
    sent_at: datetime
    cosine: float | None
    matched: frozenset[str]


@dataclass(frozen=True)
class Question:
    """What is asked: its words' weights (inverse document frequency), and the time it names."""

    text: str
    weights: Mapping[str, float]
    since: datetime | None = None
    until: datetime | None = None

    @property
    def total(self) -> float:
        return sum(self.weights.values()) or 1.0


def scores(question: Question, candidates: Sequence[Candidate]) -> list[float]:
    """One score a candidate, higher is better; comparable among these candidates only."""
    own = _own_scores(question, candidates)
    lanes = {(c.chat_id, c.thread_key, c.lane_no): score for c, score in zip(candidates, own, strict=True)}
    days = _day_means(candidates, own)
    return [
        score
        + BEFORE * max(0.0, lanes.get((c.chat_id, c.thread_key, c.lane_no - 1), 0.0))
        + AFTER * max(0.0, lanes.get((c.chat_id, c.thread_key, c.lane_no + 1), 0.0))
        + DAY * days[_day(c)]
        for c, score in zip(candidates, own, strict=True)
    ]


def coverage(question: Question, matched: frozenset[str]) -> float:
    """The share of the question's weight that the matched words carry, 0 to 1."""
    return sum(question.weights.get(word, 0.0) for word in matched) / question.total


def idf(frequency: float | None) -> float:
    """The weight of a word by the share of messages that hold it; None: too rare for the statistics to list it."""
    return math.log(1 + 1 / max(frequency or 0.0005, 0.0005))


def _own_scores(question: Question, candidates: Sequence[Candidate]) -> list[float]:
    lexical = _standardised([_bm25(question, c) for c in candidates])
    dense = _standardised([c.cosine if c.cosine is not None else 0.0 for c in candidates])
    return [
        LEXICAL * lex + DENSE * near + COVERAGE * coverage(question, c.matched) + _manner(question, c)
        for c, lex, near in zip(candidates, lexical, dense, strict=True)
    ]


def _bm25(question: Question, c: Candidate) -> float:
    """BM25 with every word counted once: messages are short."""
    length = 1 - B + B * c.tokens / _LONG_TOKENS
    return sum(question.weights.get(word, 0.0) * (K1 + 1) / (1 + K1 * length) for word in c.matched)


def _manner(question: Question, c: Candidate) -> float:
    """What speaks for a message beside its words: who said it, how, and when."""
    score = USER_TURN * (c.role == "user")
    score += QUESTION * c.text.rstrip().endswith(("?", "？"))
    score += FIRST_PERSON * bool(_FIRST_PERSON.search(c.text))
    if question.since is not None and question.until is not None:
        score += TIME * (question.since <= c.sent_at < question.until)
    if _WHEN.search(question.text):
        score += TIME_WORDS * bool(_TIME_WORDS.search(c.text))
    return score


def _standardised(values: Sequence[float]) -> list[float]:
    if len(values) < 2:
        return [0.0] * len(values)
    mean, deviation = fmean(values), pstdev(values)
    return [max(-MOST, min(MOST, (value - mean) / deviation)) if deviation else 0.0 for value in values]


def _day(c: Candidate) -> tuple[int, str, int]:
    return c.chat_id, c.thread_key, c.sent_at.toordinal()


def _day_means(candidates: Sequence[Candidate], own: Sequence[float]) -> dict[tuple[int, str, int], float]:
    """The mean of each day's three best: a day that answers well lends to its messages."""
    days: defaultdict[tuple[int, str, int], list[float]] = defaultdict(list)
    for c, score in zip(candidates, own, strict=True):
        days[_day(c)].append(score)
    return {day: fmean(sorted(values, reverse=True)[:3]) for day, values in days.items()}
