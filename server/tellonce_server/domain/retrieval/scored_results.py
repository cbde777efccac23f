"""Turns candidates into search results with scores, and chooses the text to show. Pure."""

from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from tellonce.contract_types import CURRENT
from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.excerpt import WHOLE, WHOLE_ROUTINE, excerpt
from tellonce_server.domain.retrieval.question import Question
from tellonce_server.domain.retrieval.ranking import Ranking
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.domain.retrieval.signals import (
    PARSED,
    Candidate,
    Floats,
    Learned,
    bm25,
    coverage,
    mentions,
    ranks_of,
    with_time,
)
from tellonce_text.tokens import estimate


def messages(
    candidates: Sequence[Candidate], ranking: Ranking, scores: Floats, most: int | None = None
) -> list[Result]:
    """The best `most` candidates as results. Others with the same score as the last of them are included, too. `scores`
    are the ranking's scores with the influence of memories."""
    total, covered = scores.tolist(), ranking.signals.coverage.tolist()
    least = _least(total, most)
    return [_message(*one) for one in zip(candidates, total, covered, strict=True) if one[1] >= least]


def _least(scores: Sequence[float], most: int | None) -> float:
    """The score at rank `most`."""
    return sorted(scores)[-most] if most is not None and most < len(scores) else float("-inf")


# The next two functions have positional arguments for speed: two hundred such objects are created for a question.
def _message(c: Candidate, score: float, covered: float) -> Result:
    chat_id, number, thread_key, _, role, speaker, at, tokens, routine, head, clipped, cosine, _ = c
    clipped = clipped or not head
    return Result(
        "message", number, chat_id, thread_key, head, role, speaker, at, tokens, score, cosine, (number,), covered,
        routine, None, False, clipped,
    )  # fmt: skip


def _learned(row: Learned, tokens: int, score: float, covered: float, listed: bool) -> Result:
    text = f"“{row.text}”" if row.note else row.text
    return Result(
        row.kind, row.id, row.chat_id, row.thread_key, text, None, None, row.at, tokens, score, row.cosine,
        tuple(row.source_ids), covered, None, row.status, listed, named=row.named,
        since=row.since, due=row.due,
    )  # fmt: skip


class Matches(NamedTuple):
    """How memories and summaries match: their tokens, the covered share of the query's words, their similarity, and
    whether they belong to the query's time."""

    tokens: Sequence[int]
    covered: Sequence[float]
    similarity: Sequence[float]
    of_time: Sequence[bool]


def learned(question: Question, rows: Sequence[Learned], matches: Matches, most: int | None = None) -> list[Result]:
    """The memories and summaries, each with its score. `most` has the same meaning as in `messages`."""
    current = [row.listed and row.status in CURRENT for row in rows]
    several = sum(current) > 1
    listed = [several and one for one in current]
    priors = (_prior(question, *one) for one in zip(rows, listed, matches.of_time, strict=True))
    scores = [w.ALONE * one + prior for one, prior in zip(matches.similarity, priors, strict=True)]
    least = _least(scores, most)
    return [
        _learned(*one)
        for one in zip(rows, matches.tokens, scores, matches.covered, listed, strict=True)
        if one[2] >= least
    ]


def _prior(question: Question, row: Learned, listed: bool, of_time: bool) -> float:
    timed = of_time * (w.IN_SPAN + w.EXACT_TIME * question.precision)
    if row.kind == "summary":
        return w.SUMMARY + timed
    former = question.asks_past_state and row.status == "superseded"
    return w.MEMORY + w.FORMER * former + w.LISTED * listed + timed


def matches(question: Question, rows: Sequence[Learned], ranking: Ranking, zone: ZoneInfo) -> Matches:
    """Compare memories and summaries with the question. The values are standardized as for the messages in this search."""
    tokens = [estimate(row.text) if row.tokens is None else row.tokens for row in rows]
    ranks = ranks_of(question, [row.ranks for row in rows])
    cosines = np.array([row.cosine for row in rows], dtype=np.float64)
    covered = coverage(question, ranks)
    words = ranking.lexical.standard(bm25(question, ranks, np.array(tokens, dtype=np.float64)))
    similarity = words + w.DENSE * ranking.dense.standard_or(cosines, words) + w.COVERAGE * covered
    of_time = _of_time(question, rows, similarity, zone)
    covered = with_time(question, covered, np.array(of_time, dtype=np.float64))
    return Matches(tokens, covered.tolist(), similarity.tolist(), of_time)


READ_FOR_TIMES = 600
"""Characters at the beginning of a memory that are searched for times. A memory can be 64 KB long."""


def _of_time(question: Question, rows: Sequence[Learned], similarity: Floats, zone: ZoneInfo) -> list[bool]:
    """Whether each memory or summary belongs to the query's time. If it has no date, its words are read. This is done
    for at most PARSED of them, the most similar first."""
    if not question.told:
        return [False] * len(rows)
    found = [_dated_in(question, row) for row in rows]
    undated = sorted((i for i, one in enumerate(found) if one is None), key=lambda i: -similarity[i])
    for i in undated[:PARSED]:
        found[i] = mentions(rows[i].text[:READ_FOR_TIMES], rows[i].at, question.told, zone)
    return list(map(bool, found))


def _dated_in(question: Question, row: Learned) -> bool | None:
    """Whether the memory or summary belongs to the query's time. None if only its words can decide."""
    if row.kind != "summary" and any(start <= row.at < end for start, end in question.spans):
        return True
    if row.starts is not None and row.ends is not None:
        return any(row.starts < end and row.ends >= start for start, end in question.told)
    return None


def support(candidates: Sequence[Candidate], ranking: Ranking, rows: Sequence[Learned], matches: Matches) -> Floats:
    """What the memories add to each message's score. If several memories were learned from a message, only the one most
    similar to the question counts. If this memory is more similar than the message, a share of the difference is added.
    """
    stated: dict[tuple[int | None, int], float] = {}
    for row, similarity in zip(rows, matches.similarity, strict=True):
        if row.kind != "summary" and similarity > 0:
            for source in row.source_ids:
                key = (row.source_chat_id, source)
                stated[key] = max(similarity, stated.get(key, 0.0))
    if not stated:
        return np.zeros(len(candidates))
    best = np.array([stated.get((c.chat_id, c.id), 0.0) for c in candidates])
    higher: Floats = np.maximum(0.0, best - np.maximum(0.0, ranking.similarity))
    return w.STATED * higher


def shown(result: Result, text: str, query: str, reply: int = WHOLE) -> Result:
    """The result with its text to show. `text` is the whole text. `reply` is the maximum tokens of an assistant's
    reply."""
    tokens = result.tokens if text is result.text else estimate(text)
    replies = result.role == "assistant" and result.speaker is None
    part = text
    if result.kind == "message":
        whole = WHOLE_ROUTINE if result.routine is not None else reply if replies else WHOLE
        part = excerpt(text, tokens, query, whole=whole)
    return result._replace(text=part, full_text=text, clipped=False)
