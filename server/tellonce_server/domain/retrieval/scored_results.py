"""Search results with scores, before their whole texts are read, and the conversion to a `Hit`. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from tellonce.contract import MemoryStatus, ResultKind, Role
from tellonce_server.domain.retrieval import weights as w
from tellonce_server.domain.retrieval.excerpt import WHOLE, WHOLE_ROUTINE, excerpt
from tellonce_server.domain.retrieval.question import Question
from tellonce_server.domain.retrieval.ranking import Ranking
from tellonce_server.domain.retrieval.search_results import Hit, place
from tellonce_server.domain.retrieval.signals import Candidate, Learned, bm25, coverage, ranks_of
from tellonce_text.changes import Place
from tellonce_text.tokens import estimate


class Found(NamedTuple):
    """A scored result. `text` is the whole text unless `clipped` is set. `covered` is the weighted share of the query's
    words that the text contains. `listed` marks one of several members of a category that the query names."""

    kind: ResultKind
    id: int
    chat_id: int | None
    thread_key: str | None
    text: str
    clipped: bool
    role: Role | None
    speaker: str | None
    at: datetime
    tokens: int
    score: float
    cosine: float | None
    covered: float
    source_ids: Sequence[int]
    routine: str | None = None
    memory_status: MemoryStatus | None = None
    listed: bool = False

    @property
    def place(self) -> Place | None:
        """The messages that the result shows or summarizes; None for a memory."""
        return place(self.kind, self.chat_id, self.id, self.source_ids)


def messages(candidates: Sequence[Candidate], ranking: Ranking, most: int | None = None) -> list[Found]:
    """Return the candidates, each with its score. With `most`, only the `most` candidates with the highest scores are
    returned, and further candidates with the same score as the last of these."""
    scores, covered = ranking.scores.tolist(), ranking.signals.coverage.tolist()
    least = sorted(scores)[-most] if most is not None and most < len(scores) else float("-inf")
    return [_message(*one) for one in zip(candidates, scores, covered, strict=True) if one[1] >= least]


def _message(c: Candidate, score: float, covered: float) -> Found:
    clipped = c.clipped or not c.head
    # The arguments are positional for speed: two hundred such objects are created for every question.
    return Found(
        *("message", c.id, c.chat_id, c.thread_key, c.head, clipped, c.role, c.speaker, c.sent_at, c.tokens),
        *(score, c.cosine, covered, (c.id,), c.routine),
    )


def learned(question: Question, rows: Sequence[Learned], ranking: Ranking) -> list[Found]:
    tokens = [estimate(row.text) if row.tokens is None else row.tokens for row in rows]
    covered, likeness = _measured(question, rows, tokens, ranking)
    several = sum(row.listed for row in rows) > 1
    return [_learned(question, several, *of_one) for of_one in zip(rows, tokens, likeness, covered, strict=True)]


def _learned(question: Question, several: bool, row: Learned, tokens: int, likeness: float, covered: float) -> Found:
    listed = several and row.listed
    former = question.asks_past_state and row.status == "superseded"
    prior = w.SUMMARY if row.kind == "summary" else w.MEMORY + w.FORMER * former + w.LISTED * listed
    return Found(
        kind=row.kind,
        id=row.id,
        chat_id=row.chat_id,
        thread_key=row.thread_key,
        text=f"“{row.text}”" if row.note else row.text,
        clipped=False,
        role=None,
        speaker=None,
        at=row.at,
        tokens=tokens,
        score=w.ALONE * likeness + prior,
        cosine=row.cosine,
        covered=covered,
        source_ids=tuple(row.source_ids),
        memory_status=row.status,
        listed=listed,
    )


def _measured(
    question: Question, rows: Sequence[Learned], tokens: Sequence[int], ranking: Ranking
) -> tuple[list[float], list[float]]:
    """For each text, return the share of the query's words that the text contains, and the text's score by words and by
    meaning. The scores use the scales of the messages in the same search."""
    ranks = ranks_of(question, [row.ranks for row in rows])
    cosines = np.array([row.cosine for row in rows], dtype=np.float64)
    covered = coverage(question, ranks)
    likeness = (
        w.LEXICAL * ranking.lexical.standard(bm25(question, ranks, np.array(tokens, dtype=np.float64)))
        + w.DENSE * ranking.dense.standard(cosines)
        + w.COVERAGE * covered
    )
    return covered.tolist(), likeness.tolist()


def hit(found: Found, text: str, query: str, reply: int = WHOLE) -> Hit:
    """The search result to return. `text` is the whole text; the caller reads the text again if it was clipped or
    edited. `reply` is the maximum number of tokens shown of an assistant's reply."""
    tokens = found.tokens if text is found.text else estimate(text)
    replies = found.role == "assistant" and found.speaker is None
    shown = text
    if found.kind == "message":
        whole = WHOLE_ROUTINE if found.routine is not None else reply if replies else WHOLE
        shown = excerpt(text, tokens, query, whole=whole)
    return Hit(
        *(found.kind, found.id, found.chat_id, found.thread_key, shown, text, found.role, found.speaker, found.at),
        *(found.tokens, found.score, found.cosine, found.source_ids, found.routine, found.memory_status),
        found.listed,
    )
