"""Scores how well messages answer a question, by a sum of weighted signals that are standardized over the candidates.
Pure.

Adding scores gives better results than combining ranks. Neighbors and the session of a message get a part of its
similarity. This also raises the scores of answers that are next to questions or long replies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np

from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.feedback import feedback
from tellonce_server.domain.retrieval.question import Question
from tellonce_server.domain.retrieval.signals import (
    NONE,
    Candidate,
    Floats,
    Measured,
    Scale,
    SignalTable,
    measure,
    scale,
)

SHARING_MESSAGES = 3
"""A session's similarity is the mean similarity of its most similar messages. This many messages are used."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Each candidate's score and similarity. The two scales make the scores of memories and summaries comparable."""

    scores: Floats
    similarity: Floats
    signals: SignalTable
    lexical: Scale
    dense: Scale


def rank(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> Ranking:
    """Rank the candidates. Scores are comparable within one ranking only."""
    first = weigh(measure(question, candidates, zone))
    shared = feedback(question.text, [c.head for c in candidates], first.scores)
    return replace(first, scores=first.scores + w.FEEDBACK * shared)


def weigh(m: Measured) -> Ranking:
    x = m.signals
    lexical = scale(x.words, w.LEAST_LEXICAL_DEVIATION)
    dense = scale(x.cosine[~np.isnan(x.cosine)], w.LEAST_DENSE_DEVIATION)
    words = lexical.standard(x.words)
    alike = words + w.DENSE * dense.standard_or(x.cosine, words) + _fitting(x)
    scores = alike + _options(x) + _shared_by_sessions(m, alike) + _shared_by_neighbors(m, alike)
    return Ranking(scores, alike, x, lexical, dense)


def _fitting(x: SignalTable) -> Floats:
    """Signs of the right subject: words and numbers of the query, and references to its time."""
    return w.COVERAGE * x.coverage + w.NUMBERS * x.numbers + w.MENTIONS_SPAN * x.mentions_span


def _options(x: SignalTable) -> Floats:
    """Signs of an answer among messages about the subject. They are not passed to neighbors or the session."""
    return (
        w.NAMED * x.named
        - w.USER * x.reply
        + w.ASKED_OF_ASSISTANT * x.given
        + w.ROUTINE * x.routine
        + w.FIRST_PERSON * x.first_person
        - w.QUESTION * x.asking
        - w.SHORT * x.shortness
        + w.TIME_WORDS * x.time_words
        + w.AMOUNTS * x.amounts
        + w.TASTES * x.tastes
        + w.IN_SPAN * x.in_span
        + w.EXACT_TIME * x.exact_time
    )


def _shared_by_sessions(m: Measured, alike: Floats) -> Floats:
    order = np.lexsort((-alike, m.session))
    session = m.session[order]
    place = np.arange(len(order)) - np.searchsorted(session, session)
    best = order[place < SHARING_MESSAGES]
    sums = np.bincount(m.session[best], weights=alike[best])
    shared: Floats = w.SESSION * sums / np.bincount(m.session[best])
    return shared[m.session]


def _shared_by_neighbors(m: Measured, alike: Floats) -> Floats:
    """The similarity that each message gets from its neighbors. A message after a question can be its answer. A message
    gets nothing from a next message that is only a question."""
    before = np.flatnonzero(m.following != NONE)
    after = m.following[before]
    similarity, asking = np.maximum(0.0, alike), m.signals.asking
    shared = np.zeros(len(alike))
    shared[after] += similarity[before] * (w.BEFORE + w.ANSWER * asking[before])
    shared[before] += similarity[after] * w.AFTER * (1 - asking[after])
    return shared
