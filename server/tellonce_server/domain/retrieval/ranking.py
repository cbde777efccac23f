"""Scores how well messages answer a question. A score is a sum of weighted signals that are standardized over the
candidates. Pure.

Standardized scores are added, because adding scores gives better results than combining ranks. A part of each message's
similarity is added to the scores of the neighbors and of the messages in the same session. Questions, long replies and
another person's words are rarely answers, but their similarity is added to other messages too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np

from tellonce_server.domain.retrieval import echoes
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
"""Number of messages that determine a session's similarity. The most similar messages of the session are chosen."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The result of `rank`. Each candidate has a score (a higher score is better) and a similarity to the question.
    `signals` are the measured signals. The two scales make the scores of memories and summaries comparable."""

    scores: Floats
    similarity: Floats
    signals: SignalTable
    lexical: Scale
    dense: Scale


def rank(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> Ranking:
    """Rank the candidates. Scores are comparable within one ranking only. A reply that repeats the user's words gets a
    lower score than these words. If the question asks for the assistant's words, this rule is not used."""
    first = weigh(measure(question, candidates, zone))
    shared = feedback(question.text, [c.head for c in candidates], first.scores)
    scores = first.scores + w.FEEDBACK * shared
    if not question.asks_assistant:
        scores = echoes.below_sources(candidates, scores, echoes.said(candidates, scores))
    return replace(first, scores=scores)


def weigh(m: Measured) -> Ranking:
    x = m.signals
    lexical = scale(x.words, w.LEAST_LEXICAL_DEVIATION)
    dense = scale(x.cosine[~np.isnan(x.cosine)], w.LEAST_DENSE_DEVIATION)
    words = lexical.standard(x.words)
    alike = w.LEXICAL * words + w.DENSE * dense.standard_or(x.cosine, words) + _fitting(x)
    scores = alike + _options(x) + _shared_by_sessions(m, alike) + _shared_by_neighbors(m, alike)
    return Ranking(scores, alike, x, lexical, dense)


def _fitting(x: SignalTable) -> Floats:
    """The part of the score for words and numbers of the query, and for references to the query's time. These are signs
    of the right subject."""
    return w.COVERAGE * x.coverage + w.NUMBERS * x.numbers + w.MENTIONS_SPAN * x.mentions_span


def _options(x: SignalTable) -> Floats:
    """The part of the score for a message's speaker, form and time. These signs distinguish an answer from other
    messages about the subject. This part is not passed to the neighbors or to the session."""
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
        + w.AFTER_SPAN * x.after_span
        + w.EXACT_TIME * x.exact_time
    )


def _shared_by_sessions(m: Measured, alike: Floats) -> Floats:
    """The similarity that each message gets from its session. The value is `w.SESSION` times the mean similarity of the
    most similar messages in the session."""
    order = np.lexsort((-alike, m.session))
    session = m.session[order]
    place = np.arange(len(order)) - np.searchsorted(session, session)
    best = order[place < SHARING_MESSAGES]
    sums = np.bincount(m.session[best], weights=alike[best])
    shared: Floats = w.SESSION * sums / np.bincount(m.session[best])
    return shared[m.session]


def _shared_by_neighbors(m: Measured, alike: Floats) -> Floats:
    """The similarity that each message gets from its neighbors.

    A message gets a share of the previous message's similarity. The share is larger if the previous message is a
    question, because the message can be the answer. A message also gets a share of the next message's similarity,
    because both messages can have the same subject. If the next message is only a question, the message gets no such
    share.
    """
    before = np.flatnonzero(m.following != NONE)
    after = m.following[before]
    similarity, asking = np.maximum(0.0, alike), m.signals.asking
    shared = np.zeros(len(alike))
    shared[after] += similarity[before] * (w.BEFORE + w.ANSWER * asking[before])
    shared[before] += similarity[after] * w.AFTER * (1 - asking[after])
    return shared
