"""Finds what a question needs: candidates by words, meaning and time, ranked; scoped before anything is compared."""

import asyncio
import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chatmem.contract import ResultKind
from chatmem_server.embedding.codes import code, halfvec
from chatmem_server.embedding.protocol import Embedder, EmbeddingUnavailable, Vector
from chatmem_server.retrieval import ranking
from chatmem_server.retrieval.excerpt import excerpt
from chatmem_server.retrieval.hits import Hit, SearchPage, SearchRequest
from chatmem_server.retrieval.lexical import index_text
from chatmem_server.retrieval.ranking import Candidate, Question
from chatmem_server.store.database import Database, Row
from chatmem_server.time_expressions import spans_in_query
from chatmem_server.tokens import estimate
from chatmem_server.tsquery import any_of, owner_scope, quoted

CANDIDATES = 100
RERANKED = 300
RAREST = 6
ANY_ID = 2**62
PROMPT_MESSAGES = 5
PROMPT_MEMORIES = 3
PROMPT_SUMMARIES = 2
MIN_COSINE = 0.7
"""A memory needs this cosine, or a word in common, to come into a prompt (SPEC §5)."""

RELEVANT_COSINE = 0.45
RELEVANT_COVERAGE = 0.3
OTHER_LANE_MARGIN = 0.25
"""How much more of the question another lane's message must cover than any of this lane's."""

MEMORY_KINDS: tuple[ResultKind, ...] = ("fact", "preference", "goal", "date", "outcome", "pin")
_FORMERLY = re.compile(
    r"\b(?:before|previous(?:ly)?|used to|former(?:ly)?|earlier|back then|originally|old)\b", re.IGNORECASE
)


class SearchRefused(Exception):
    """The search cannot be done as asked; the text says what to change."""


class Retriever:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._frequencies: dict[str, float] | None = None

    async def search(self, request: SearchRequest) -> SearchPage:
        """A page of hits, best first. Raises SearchRefused for a cursor that is none of ours."""
        start = _offset(request.cursor)
        hits = await self._ranked(request)
        page = hits[start : start + request.limit]
        more = len(hits) > start + request.limit
        return SearchPage(page, _cursor(start + request.limit) if more else None)

    async def for_prompt(self, request: SearchRequest, *, shown: frozenset[int], excluded: str | None) -> list[Hit]:
        """What a prompt should recall: this lane first, another only when it plainly answers better."""
        hits = [
            h
            for h in await self._ranked(replace(request, thread_key=None))
            if not (h.kind == "message" and h.id in shown)
        ]
        messages = _own_lane([h for h in hits if h.kind == "message" and _relevant(h)], request.thread_key)
        memories = [
            h for h in hits if h.kind in MEMORY_KINDS and (h.lexical is not None or (h.cosine or 0) >= MIN_COSINE)
        ]
        summaries = [h for h in hits if h.kind == "summary" and _relevant(h)]
        return [*messages[:PROMPT_MESSAGES], *memories[:PROMPT_MEMORIES], *summaries[:PROMPT_SUMMARIES]]

    async def _ranked(self, r: SearchRequest) -> list[Hit]:
        vector, question = await asyncio.gather(self._vector(r.query), self._question(r))
        wanted = frozenset(r.kinds) if r.kinds else None
        searches = [
            search(r, question, vector)
            for kinds, search in (
                (("message",), self._messages),
                (MEMORY_KINDS, self._memories),
                (("summary",), self._summaries),
            )
            if wanted is None or wanted & set(kinds)
        ]
        found = await asyncio.gather(*searches)
        hits = [hit for part in found for hit in part if wanted is None or hit.kind in wanted]
        return sorted(hits, key=lambda h: (-h.score, -h.at.timestamp(), h.id))

    async def _vector(self, query: str) -> Vector | None:
        """The query's vector; None goes on by words alone."""
        try:
            return (await self._embedder.embed([query], urgent=True))[0]
        except EmbeddingUnavailable:
            return None

    async def _question(self, r: SearchRequest) -> Question:
        lexemes: list[str] = await self._database.value("retrieval.query_lexemes", index_text(r.query, None)) or []
        frequencies = await self._known_frequencies()
        weights = {lexeme: ranking.idf(frequencies.get(lexeme)) for lexeme in lexemes}
        spans = [span for span in spans_in_query(r.query, r.now, r.zone) if span.start < r.now]
        since, until = (spans[0].start, spans[0].end) if spans else (None, None)
        return Question(r.query, weights, since, until)

    async def _known_frequencies(self) -> dict[str, float]:
        """How common the commonest words are; read once a process, because it changes slowly."""
        if self._frequencies is None:
            rows = await self._database.rows("retrieval.document_frequencies")
            self._frequencies = {row["lexeme"]: row["frequency"] for row in rows}
        return self._frequencies

    async def _messages(self, r: SearchRequest, q: Question, vector: Vector | None) -> list[Hit]:
        rows = await self._database.rows(
            "retrieval.messages",
            *(r.owner_id, r.chat_id, *self._codes(vector), _rarest(q), _scope(r), r.before_id or ANY_ID),
            *(RERANKED, CANDIDATES, *_span(r, q), r.thread_key, list(q.weights)),
        )
        rows = [row for row in rows if _inside(row["sent_at"], r)]
        candidates = [_candidate(row) for row in rows]
        scored = ranking.scores(q, candidates)
        return [_message_hit(r, q, *three) for three in zip(rows, candidates, scored, strict=True)]

    async def _memories(self, r: SearchRequest, q: Question, vector: Vector | None) -> list[Hit]:
        statuses = ["active", "superseded", "completed"] if _FORMERLY.search(r.query) else list(r.statuses)
        dense = halfvec(vector) if vector is not None else None
        rows = await self._database.rows(
            "retrieval.memories",
            r.owner_id,
            r.chat_id,
            dense,
            _rarest(q),
            owner_scope(r.owner_id),
            CANDIDATES,
            statuses,
        )
        return [_memory_hit(row, q) for row in rows if _inside(row["valid_from"], r)]

    async def _summaries(self, r: SearchRequest, q: Question, vector: Vector | None) -> list[Hit]:
        dense = halfvec(vector) if vector is not None else None
        rows = await self._database.rows(
            "retrieval.summaries", r.owner_id, r.chat_id, dense, _rarest(q), _scope(r), CANDIDATES // 5
        )
        return [
            _summary_hit(row) for row in rows if _inside(row["to_at"], r) and r.thread_key in (None, row["thread_key"])
        ]

    def _codes(self, vector: Vector | None) -> tuple[object, object]:
        if vector is None:
            return None, None
        return halfvec(vector), code(vector, self._embedder.mean)


def _rarest(q: Question) -> str:
    """The words that tell most; common ones would only widen the scan."""
    return any_of(sorted(q.weights, key=lambda word: -q.weights[word])[:RAREST])


def _scope(r: SearchRequest) -> str:
    return owner_scope(r.owner_id) if r.chat_id is None else quoted(f"@c{r.chat_id}")


def _span(r: SearchRequest, q: Question) -> tuple[datetime | None, datetime | None]:
    return (r.since or q.since, r.until or q.until) if (r.since or q.since) else (None, None)


def _inside(at: datetime, r: SearchRequest) -> bool:
    return (r.since is None or at >= r.since) and (r.until is None or at < r.until)


def _candidate(row: Row) -> Candidate:
    return Candidate(
        *(row["chat_id"], row["id"], row["thread_key"], row["lane_no"], row["role"], row["content"], row["tokens"]),
        *(row["sent_at"], row["cosine"], frozenset(row["matched"])),
    )


def _message_hit(r: SearchRequest, q: Question, row: Row, candidate: Candidate, score: float) -> Hit:
    text = row["content"]
    return Hit(
        kind="message",
        id=row["id"],
        chat_id=row["chat_id"],
        thread_key=row["thread_key"],
        text=excerpt(text, r.query, routine=row["routine"] is not None),
        full_text=text,
        role=row["role"],
        speaker=row["speaker"],
        at=row["sent_at"],
        utc_offset=row["utc_offset"],
        tokens=row["tokens"],
        score=score,
        cosine=row["cosine"],
        lexical=ranking.coverage(q, candidate.matched),
        source_ids=(row["id"],),
        routine=row["routine"],
        memory_status=None,
    )


def _memory_hit(row: Row, q: Question) -> Hit:
    """A memory is a distilled answer: worth a little more than a message that matches as well."""
    lexical = row["rank"]
    score = 1.0 + 3.0 * (row["cosine"] or 0.0) + (1.0 if lexical is not None else 0.0)
    return Hit(
        kind=row["kind"],
        id=row["id"],
        chat_id=row["chat_id"],
        thread_key=None,
        text=row["content"],
        full_text=row["content"],
        role=None,
        speaker=None,
        at=row["valid_from"],
        utc_offset=0,
        tokens=estimate(row["content"]),
        score=score,
        cosine=row["cosine"],
        lexical=lexical,
        source_ids=tuple(row["source_ids"]),
        routine=None,
        memory_status=row["status"],
    )


def _summary_hit(row: Row) -> Hit:
    return Hit(
        kind="summary",
        id=row["id"],
        chat_id=row["chat_id"],
        thread_key=row["thread_key"],
        text=row["text"],
        full_text=row["text"],
        role=None,
        speaker=None,
        at=row["to_at"],
        utc_offset=0,
        tokens=row["tokens"],
        score=(row["cosine"] or 0.0) + (0.3 if row["rank"] is not None else 0.0),
        cosine=row["cosine"],
        lexical=row["rank"],
        source_ids=(row["from_id"], row["to_id"]),
        routine=None,
        memory_status=None,
    )


def _relevant(hit: Hit) -> bool:
    return (hit.cosine or 0.0) >= RELEVANT_COSINE or (hit.lexical or 0.0) >= RELEVANT_COVERAGE


def _own_lane(hits: Sequence[Hit], thread_key: str | None) -> list[Hit]:
    """This lane's hits; another lane's only where they cover plainly more of the question."""
    best = max((_fit(h) for h in hits if h.thread_key == thread_key), default=0.0)
    return [h for h in hits if h.thread_key == thread_key or _fit(h) >= best + OTHER_LANE_MARGIN]


def _fit(hit: Hit) -> float:
    return max(hit.lexical or 0.0, hit.cosine or 0.0)


def _cursor(start: int) -> str:
    return base64.urlsafe_b64encode(f"s{start}".encode()).decode()


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor.encode()).decode()
        return int(text.removeprefix("s")) if text.startswith("s") else _refuse(cursor)
    except ValueError:
        return _refuse(cursor)


def _refuse(cursor: str) -> int:
    raise SearchRefused(
        f"{cursor!r} is no cursor of a search; use next_cursor of the page before, with the same query."
    )
