"""What a search found, scored, before its text is read; and the hit it becomes; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chatmem.contract import MemoryStatus, ResultKind, Role
from chatmem_server.retrieval import weights as w
from chatmem_server.retrieval.excerpt import excerpt
from chatmem_server.retrieval.hits import Hit
from chatmem_server.retrieval.question import Question
from chatmem_server.retrieval.ranking import Ranking
from chatmem_server.retrieval.signals import Candidate, bm25, coverage
from chatmem_server.store.database import Row
from chatmem_server.text.tokens import estimate

MEMORY_KINDS: frozenset[ResultKind] = frozenset(("fact", "preference", "goal", "date", "outcome", "pin"))


@dataclass(frozen=True, slots=True)
class Found:
    """`text` is the whole text unless `clipped`; `covered` the share of the query's words it holds, by weight."""

    kind: ResultKind
    id: int
    chat_id: int | None
    thread_key: str | None
    text: str
    clipped: bool
    role: Role | None
    speaker: str | None
    at: datetime
    utc_offset: int
    tokens: int
    score: float
    cosine: float | None
    covered: float
    source_ids: Sequence[int]
    routine: str | None = None
    memory_status: MemoryStatus | None = None

    @property
    def order(self) -> tuple[float, float, int]:
        """Best first; what scores alike newest first."""
        return -self.score, -self.at.timestamp(), self.id


def message(question: Question, c: Candidate, score: float) -> Found:
    return Found(
        kind="message",
        id=c.id,
        chat_id=c.chat_id,
        thread_key=c.thread_key,
        text=c.head,
        clipped=c.clipped or not c.head,
        role=c.role,
        speaker=c.speaker,
        at=c.sent_at,
        utc_offset=c.utc_offset,
        tokens=c.tokens,
        score=score,
        cosine=c.cosine,
        covered=coverage(question, c.ranks),
        source_ids=(c.id,),
        routine=c.routine,
    )


def memory(question: Question, row: Row, ranking: Ranking) -> Found:
    former = question.asks_past_state and row["status"] == "superseded"
    tokens = estimate(row["content"])
    return Found(
        kind=row["kind"],
        id=row["id"],
        chat_id=row["chat_id"],
        thread_key=None,
        text=row["content"],
        clipped=False,
        role=None,
        speaker=None,
        at=row["valid_from"],
        utc_offset=0,
        tokens=tokens,
        score=w.ALONE * _likeness(question, row, tokens, ranking) + w.MEMORY + w.FORMER * former,
        cosine=row["cosine"],
        covered=coverage(question, row["ranks"]),
        source_ids=tuple(row["source_ids"]),
        memory_status=row["status"],
    )


def summary(question: Question, row: Row, ranking: Ranking) -> Found:
    return Found(
        kind="summary",
        id=row["id"],
        chat_id=row["chat_id"],
        thread_key=row["thread_key"],
        text=row["text"],
        clipped=False,
        role=None,
        speaker=None,
        at=row["to_at"],
        utc_offset=0,
        tokens=row["tokens"],
        score=w.ALONE * _likeness(question, row, row["tokens"], ranking) + w.SUMMARY,
        cosine=row["cosine"],
        covered=coverage(question, row["ranks"]),
        source_ids=(row["from_id"], row["to_id"]),
    )


def hit(found: Found, text: str, query: str) -> Hit:
    """`text` is the whole text."""
    return Hit(
        kind=found.kind,
        id=found.id,
        chat_id=found.chat_id,
        thread_key=found.thread_key,
        text=excerpt(text, query, routine=found.routine is not None) if found.kind == "message" else text,
        full_text=text,
        role=found.role,
        speaker=found.speaker,
        at=found.at,
        utc_offset=found.utc_offset,
        tokens=found.tokens,
        score=found.score,
        cosine=found.cosine,
        lexical=found.covered or None,
        source_ids=found.source_ids,
        routine=found.routine,
        memory_status=found.memory_status,
    )


def _likeness(question: Question, row: Row, tokens: int, ranking: Ranking) -> float:
    """Words and meaning on the scales of the messages found with it."""
    words = ranking.lexical.standard(bm25(question, row["ranks"], tokens))
    return (
        w.LEXICAL * words
        + w.DENSE * ranking.dense.standard(row["cosine"])
        + w.COVERAGE * coverage(question, row["ranks"])
    )
