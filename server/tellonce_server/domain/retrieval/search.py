"""Runs a search: reads candidates by words, meaning and time within the scope, then ranks them."""

import asyncio
import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

from asyncpg import BitString
from pgvector import HalfVector

from tellonce.contract_types import CURRENT, SURE
from tellonce_server.core.errors import Refused
from tellonce_server.core.limits import offloaded
from tellonce_server.domain.retrieval import candidates, echoes, ranking, scored_results
from tellonce_server.domain.retrieval import question as questions
from tellonce_server.domain.retrieval.asked_times import AskedTimes, asked_times, seen_from
from tellonce_server.domain.retrieval.candidates import Scan
from tellonce_server.domain.retrieval.categories import Categories
from tellonce_server.domain.retrieval.excerpt import WHOLE
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.domain.retrieval.prompt_selection import is_answered, of_chat, with_other_chats
from tellonce_server.domain.retrieval.question import Question, ScopeFacts
from tellonce_server.domain.retrieval.search_results import Result, SearchPage, SearchRequest
from tellonce_server.domain.retrieval.signals import Candidate, Learned
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable
from tellonce_server.store import retrieval
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database
from tellonce_server.store.messages import NEWEST

SHARES_SECONDS = 600.0
"""Seconds for which word frequencies are cached."""

NO_SHARES_SECONDS = 20.0
"""Seconds until word frequencies are read again if the database has no statistics yet."""


@dataclass(frozen=True, slots=True)
class Read:
    """The data for a question. `newest` is the number of the newest message."""

    question: Question
    messages: Sequence[Candidate]
    learned: Sequence[Learned]
    newest: int


class _Embedded(NamedTuple):
    half: HalfVector
    bits: BitString
    categories: Sequence[str]


class Retriever:
    def __init__(self, database: Database, embedder: Embedder, categories: Categories | None = None) -> None:
        self._database = database
        self._embedder = embedder
        self._categories = categories or Categories(database, embedder)
        self._shares: dict[str, float] = {}
        self._shares_until = 0.0

    async def search(self, request: SearchRequest) -> SearchPage:
        """One page of results, best first. Raises CursorRefused for a cursor of another search."""
        search = request.mark
        at = read_cursor(request.cursor, search) if request.cursor is not None else None
        below = min(request.before_id or NEWEST, at.below if at else NEWEST)
        read = await self.read(replace(request, before_id=below))
        start = at.start if at else 0
        end = start + request.limit
        # Only one result after this page is needed, because it shows that there is a next page.
        ranked = _ranked(request, read, most=end + 1)
        # In a search of one chat, later pages leave out messages that arrived after the first page. In a search of
        # several chats, no such limit exists, because each chat numbers its own messages.
        bound = below if at or request.chat_id is None else min(below, read.newest + 1)
        following = str(Cursor(end, bound, search)) if len(ranked) > end else None
        return SearchPage(await self.with_texts(request, ranked[start:end]), following)

    async def recalled(self, request: SearchRequest) -> list[Result]:
        """All results that a prompt may use, best first. It does not depend on the window."""
        everywhere = replace(request, thread_key=None)
        return _ranked(everywhere, await self.read(everywhere))

    async def with_other_chats(self, request: SearchRequest, own: list[Result]) -> list[Result]:
        """`own` with relevant messages of the owner's other chats, if `own` does not answer the question."""
        if request.chat_id is None or is_answered(of_chat(own, request.chat_id)):
            return own
        everywhere = replace(request, chat_id=None, thread_key=None, kinds=("message",))
        read = await self.read(everywhere)
        ranked, several = _ranked(everywhere, read), len(read.question.terms) > 1 or bool(read.question.told)
        return with_other_chats(own, ranked, request.query, request.chat_id, several=several)

    async def read(self, r: SearchRequest) -> Read:
        """The analyzed question and all candidates, not ranked yet."""
        times = await offloaded(len(r.query), lambda: asked_times(r.query, r.now, r.zone))
        # The rest of the query is embedded while the database is read. For most queries, the analysis does not change
        # this wording, so the vector can be used.
        (scope_facts, question), vector = await asyncio.gather(self._question(r, times), self._vector(times.rest))
        if question.of_span and question.precision == 1:
            vector = None  # All messages of a short period are results, and the query has no words to compare.
        elif question.wording != times.rest:
            vector = await self._vector(question.wording)
        scan = self._scan(r, question, scope_facts, vector)
        statuses = SURE if question.asks_past_state else CURRENT
        messages, learned = await asyncio.gather(
            candidates.messages(self._database, scan), candidates.learned(self._database, scan, statuses)
        )
        return Read(question, messages, learned, scope_facts.last_id)

    async def _question(self, r: SearchRequest, times: AskedTimes) -> tuple[ScopeFacts, Question]:
        texts = await offloaded(
            len(r.query), lambda: [index_text(text, None) for text in (times.rest, times.exact, times.names)]
        )
        scope_facts = await candidates.scope_facts(self._database, r, texts, times.spans[0] if times.spans else None)
        if times.spans and not scope_facts.span_holds and scope_facts.last_at is not None:
            last_at, read = scope_facts.last_at, times
            times = await offloaded(len(r.query), lambda: seen_from(read, r.query, last_at, r.zone))
        shares = await self._known_shares()
        return scope_facts, await offloaded(
            len(r.query), lambda: questions.question(r.query, scope_facts, shares, times)
        )

    def _scan(self, r: SearchRequest, question: Question, scope_facts: ScopeFacts, vector: _Embedded | None) -> Scan:
        half, bits, categories = vector or (None, None, ())
        near = scope_facts.near_index and half is not None
        return Scan(r, question, scope_facts.size, r.before_id or NEWEST, half, bits, near, categories)

    async def _vector(self, wording: str) -> _Embedded | None:
        """None means that the search uses words alone."""
        if not self._embedder.ready:
            return None
        model = self._embedder.model
        try:
            vector = (await self._embedder.embed([wording], urgent=True))[0]
        except EmbeddingUnavailable:
            return None
        return _Embedded(ModelVector(vector, model), code(vector, self._embedder.mean), self._categories.near(vector))

    async def _known_shares(self) -> dict[str, float]:
        now = asyncio.get_running_loop().time()
        if now >= self._shares_until:
            self._shares = await retrieval.shares(self._database)
            self._shares_until = now + (SHARES_SECONDS if self._shares else NO_SHARES_SECONDS)
        return self._shares

    async def with_texts(self, r: SearchRequest, chosen: Sequence[Result], reply: int = WHOLE) -> list[Result]:
        """The chosen results, each with its text. `reply` limits the tokens of an assistant's reply."""
        whole = await self._whole(r, [f for f in chosen if f.kind == "message"])
        texts = [whole.get((f.chat_id or 0, f.id), f.text) for f in chosen]
        pairs = list(zip(chosen, texts, strict=True))
        longest = max(map(len, (r.query, *texts)))
        return await offloaded(longest, lambda: [scored_results.shown(f, text, r.query, reply) for f, text in pairs])

    async def _whole(self, r: SearchRequest, chosen: Sequence[Result]) -> dict[tuple[int, int], str]:
        """The whole texts of clipped messages, by (chat, number). With `as_of`, also the former texts of messages that
        were edited later."""
        database = self._database
        clipped = [(f.chat_id, f.id) for f in chosen if f.clipped and f.chat_id is not None]
        whole = await retrieval.contents(database, r.owner_id, clipped)
        if r.as_of is None:
            return whole
        every = [(f.chat_id, f.id) for f in chosen if f.chat_id is not None]
        return whole | await retrieval.contents_as_of(database, r.owner_id, every, r.as_of)


def _ranked(r: SearchRequest, x: Read, most: int | None = None) -> list[Result]:
    """The results, best first and then newest first. With `most`, results after the first `most` can be missing."""
    by_score = ranking.rank(x.question, x.messages, r.zone)
    most = None if x.question.of_span else most
    # If `kinds` is given, the best memories and summaries may be of other kinds. Results are therefore created for all
    # memories and summaries and then selected by kind.
    matches = scored_results.matches(x.question, x.learned, by_score, r.zone)
    learned = scored_results.learned(x.question, x.learned, matches, most if r.kinds is None else None)
    scores = by_score.scores + scored_results.support(x.messages, by_score, x.learned, matches)
    scores = echoes.below_sources(x.question, x.messages, scores, learned)
    results = [*scored_results.messages(x.messages, by_score, scores, most), *learned]
    wanted = [result for result in results if r.kinds is None or result.kind in r.kinds]
    if x.question.of_span:
        # Only the time is covered, because the query has no other words.
        of_time = [result for result in wanted if result.covered] or wanted
        wanted = [result._replace(by_time=True) for result in of_time]
    return sorted(wanted, key=attrgetter("score", "at", "id"), reverse=True)


class CursorRefused(Refused):
    """The text is not a cursor of this search."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The number of results to skip, the bound of message numbers, and the checksum of the search."""

    start: int
    below: int
    search: int

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(json.dumps([self.start, self.below, self.search]).encode()).decode()


def read_cursor(text: str, search: int) -> Cursor:
    """Parse a cursor. Raises CursorRefused for invalid text, or a cursor of another search."""
    try:
        start, below, of = json.loads(base64.urlsafe_b64decode(text.encode()))
    except (binascii.Error, ValueError, TypeError):
        raise _refused() from None
    if not all(type(value) is int for value in (start, below, of)) or start < 0 or below < 0 or of != search:
        raise _refused()
    return Cursor(start, below, of)


def _refused() -> CursorRefused:
    return CursorRefused(
        "That is not a cursor of this search; use next_cursor of the previous page, and the same query and arguments.",
        "call",
    )
