"""Measures every signal of a question's candidates. `ranking` weights the signals later. Pure.

The measurements do not depend on the weights, so the fitting of weights needs to measure the signals only once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tellonce_server.domain.retrieval import signals as s
from tellonce_server.domain.retrieval.question import Question
from tellonce_server.domain.retrieval.signals import Candidate, Floats

Indices: TypeAlias = NDArray[np.intp]

PARSED = 60
"""The time expressions of at most this many messages are parsed. Messages of the named person are parsed first. Parsing
a message takes about 0.1 ms the first time; the result is cached."""

SESSION_PAUSE = timedelta(hours=4)
"""A pause of this length separates two sessions."""

NONE = -1


@dataclass(frozen=True, slots=True)
class SignalTable:
    """The signals, one entry per candidate. A `cosine` of NaN means that the message has no vector. All other signals
    are 0 to 1, except `words` (BM25) and `shortness`."""

    words: Floats
    cosine: Floats
    coverage: Floats
    shortness: Floats
    named: Floats
    reply: Floats
    given: Floats
    routine: Floats
    first_person: Floats
    asking: Floats
    time_words: Floats
    numbers: Floats
    amounts: Floats
    tastes: Floats
    in_span: Floats
    after_span: Floats
    tells_of_span: Floats


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of all candidates. `following` gives, for each candidate, the index of the next message of its
    thread, or NONE. `session` gives the number of the candidate's session."""

    signals: SignalTable
    following: Indices
    session: Indices


def measure(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> Measured:
    following, session = _placed(candidates)
    return Measured(_signals(question, candidates, zone), following, session)


def _signals(question: Question, candidates: Sequence[Candidate], zone: ZoneInfo) -> SignalTable:
    heads = [c.head for c in candidates]
    tokens = _floats([c.tokens for c in candidates])
    ranks = s.ranks_of(question, [c.ranks for c in candidates])
    cosine = np.array([c.cosine for c in candidates], dtype=np.float64)
    coverage = s.coverage(question, ranks)
    reply, none = s.longness(tokens) * _floats(map(_replies, candidates)), np.zeros(len(candidates))
    spans, numbers = question.spans, s.numbers(question.wording)
    told = _told_of(question, candidates, coverage, cosine, zone) if spans else ()
    return SignalTable(
        words=s.bm25(question, ranks, tokens),
        cosine=cosine,
        coverage=coverage,
        shortness=s.shortness(tokens),
        named=_floats(c.speaker in question.named for c in candidates) if len(question.named) == 1 else none,
        reply=none if question.asks_assistant else reply,
        given=reply if question.asks_assistant else none,
        routine=_floats(_names_routine(question, c) for c in candidates) if question.asks_routine else none,
        first_person=_floats(map(s.first_person, heads)),
        asking=_floats(map(s.asking, heads)),
        time_words=_floats(map(s.time_words, heads)) if question.asks_when else none,
        numbers=_floats(_held(numbers, head) for head in heads) if numbers else none,
        amounts=_floats(map(s.amounts, heads)) if question.asks_amount else none,
        tastes=_floats(map(_likes, candidates)) if question.asks_advice and not question.asks_assistant else none,
        in_span=_floats(s.in_spans(c.sent_at, spans) for c in candidates) if spans else none,
        after_span=_floats(s.after_spans(c.sent_at, spans) for c in candidates) if spans else none,
        tells_of_span=_floats(index in told for index in range(len(candidates))) if told else none,
    )


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _replies(c: Candidate) -> bool:
    """Whether the message is a reply of the assistant. In an imported chat, an assistant message with a person's name
    is from a person. Messages of persons do not count as replies."""
    return c.role == "assistant" and c.routine is None and c.speaker is None


def _names_routine(question: Question, c: Candidate) -> bool:
    return c.routine is not None and s.names_routine(question.text, c.routine)


def _likes(c: Candidate) -> bool:
    return c.role == "user" and s.tastes(c.head)


def _held(numbers: Sequence[str], text: str) -> float:
    return sum(number in text for number in numbers) / len(numbers)


def _told_of(
    question: Question, candidates: Sequence[Candidate], coverage: Floats, cosine: Floats, zone: ZoneInfo
) -> set[int]:
    """Return the indexes of the messages that contain a time expression for the time in the question."""
    likely = coverage + np.nan_to_num(cosine)
    near = [i for i, c in enumerate(candidates) if s.near_spans(c.sent_at, question.spans) and s.time_words(c.head)]
    near.sort(key=lambda i: (candidates[i].speaker not in question.named, -likely[i]))
    told = (i for i in near[:PARSED] if s.tells_of(candidates[i].head, candidates[i].sent_at, question.spans, zone))
    return set(told)


def _placed(candidates: Sequence[Candidate]) -> tuple[Indices, Indices]:
    """For each candidate, return two values. The first is the index of the next message of the candidate's thread, or
    NONE if that message is not a candidate. The second is the number of the candidate's session. A session is a series
    of candidates of one thread without a long pause between them."""
    keys = [(c.chat_id, c.thread_key) for c in candidates]
    threads = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    thread = np.array([threads[key] for key in keys], dtype=np.intp)
    number = np.array([c.thread_no for c in candidates], dtype=np.int64)
    at = _floats([c.sent_at.timestamp() for c in candidates])
    order = np.lexsort((number, thread))
    same_thread = np.diff(thread[order]) == 0
    next_one = same_thread & (np.diff(number[order]) == 1)
    following = np.full(len(candidates), NONE, dtype=np.intp)
    following[order[:-1][next_one]] = order[1:][next_one]
    begins = ~(same_thread & (np.abs(np.diff(at[order])) < SESSION_PAUSE.total_seconds()))
    session = np.zeros(len(candidates), dtype=np.intp)
    session[order[1:]] = np.cumsum(begins)
    return following, session
