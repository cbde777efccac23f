"""Chooses the parameters of the searches and reads the candidates that they find."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from math import sqrt
from typing import Any

from asyncpg import BitString
from pgvector import HalfVector

from tellonce.contract_types import MEMORY_KINDS
from tellonce_server.domain.retrieval.asked_times import LONGEST_MENTIONED
from tellonce_server.domain.retrieval.lexical import any_of, owner_scope, quoted
from tellonce_server.domain.retrieval.question import Question, ScopeFacts
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.domain.retrieval.signals import Candidate, Learned
from tellonce_server.store import retrieval
from tellonce_server.store.database import Database
from tellonce_text.dates.meanings import Span

OF_EACH_KIND = 120
"""Maximum number of candidates from each kind of search: by words, by similarity and by time."""

LEAST_MEASURED = 300
"""Minimum number of messages whose vectors are compared exactly. These are the messages with the nearest codes. A code
is a short binary form of a vector. A search by codes alone would miss three of a hundred answers."""

NEIGHBOURED = 40
"""Number of best candidates whose neighbors become candidates too. Four of a hundred answers are found only as
neighbors."""

OF_A_SPAN = 1000
"""Maximum number of messages that are read for a period named in the question. The oldest are preferred. A busy month
has about this many."""

REPORTED = timedelta(days=7)
"""Most messages about a time are sent within this period after it."""

MEMORIES = 40
LISTED = 60
"""Maximum number of memories that are read for the categories named in a question. The newest are preferred."""
SUMMARIES = 20
SCANNED = 3000
"""Maximum number of messages that are read in a search of one thread or one period. The newest are preferred."""

MANY = 10_000
"""With at least this many messages, a vector index is faster than a scan of all codes."""

RAREST = 5
"""Number of the query's rarest words that select candidates. The other words only score them."""

SMALL = 2_000
"""In a chat of at most this many messages, all words of the query are searched at once. In a larger one, common words
would match too many messages."""


_LIMITS = {"of_each_kind": OF_EACH_KIND, "neighbored": NEIGHBOURED, "of_a_span": OF_A_SPAN, "scanned": SCANNED}


@dataclass(frozen=True)
class Scan:
    """A search of the database among `size` messages with numbers smaller than `below`.

    `vector` and `code` are two forms of the query's vector, or None for a search by words. `near_index` says whether
    the owner has a vector index. `categories` are the words of the nearest categories.
    """

    request: SearchRequest
    question: Question
    size: int
    below: int
    vector: HalfVector | None
    code: BitString | None
    near_index: bool = False
    categories: Sequence[str] = ()

    @property
    def all_rarest(self) -> bool:
        """Whether the question has so few words that each of them is used to find candidates."""
        return len(self.question.terms) <= RAREST

    @property
    def uses_near_index(self) -> bool:
        return self.near_index and self.size >= MANY

    @property
    def is_usual(self) -> bool:
        """Whether the faster query `messages_of_chat` finds the same candidates as `messages`."""
        question = self.question
        return not (self.request.chat_id is None or question.told or question.asks_routine or self.uses_near_index)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The values of the parameters in `retrieval.sql`."""
        r, question = self.request, self.question
        start, end, late = _sent_between(question)
        return {
            **vars(r),
            **vars(self),
            **_LIMITS,
            "ends": r.ends,
            "terms": [quoted(term) for term in question.terms],
            "rarest": any_of(question.terms[:RAREST]),
            "rarer_half": any_of(question.terms[: max(1, min(RAREST, len(question.terms)) // 2)]),
            "all_rarest": self.all_rarest,
            "all_words": self.all_rarest or self.size <= SMALL,
            "scope": owner_scope(r.owner_id) if r.chat_id is None else quoted(f"@c{r.chat_id}"),
            "owner_scope": owner_scope(r.owner_id),
            "reranked": _reranked(self.size),
            "span_start": start,
            "span_end": end,
            "span_late": late,
            "time_terms": any_of(question.time_terms),
            "asked_starts": [start for start, _ in question.told],
            "asked_ends": [end for _, end in question.told],
            "named": sorted(question.named),
            "asks_routine": question.asks_routine,
            "near_index": self.uses_near_index,
            "asked_in": r.asked_in or r.chat_id,
            "memories_as_of": r.as_of or r.until,
            "most_memories": MEMORIES if r.kinds is None or set(MEMORY_KINDS) & set(r.kinds) else 0,
            "most_summaries": SUMMARIES if r.kinds is None or "summary" in r.kinds else 0,
            "category_terms": [f"@k{term}" for term in question.terms],
            "categories": " ".join(self.categories),
            "most_listed": LISTED,
        }


async def scope_facts(database: Database, r: SearchRequest, texts: Sequence[str], span: Span | None) -> ScopeFacts:
    """The data for the analysis of a query. `texts` are three parts of the query in their indexed form: the query
    without its exact times, the exact times, and the names of times."""
    row = await retrieval.scope_facts(database, r.owner_id, r.chat_id, texts, span or (None, None))
    lexemes: dict[str, Any] = {name: row[name] or () for name in ("lexemes", "exact_lexemes", "name_lexemes")}
    return ScopeFacts(**{**row, **lexemes})


async def messages(database: Database, scan: Scan) -> list[Candidate]:
    """Candidates among the messages."""
    if scan.request.kinds is not None and "message" not in scan.request.kinds:
        return []
    usual: retrieval.Search = "messages_of_chat" if scan.is_usual else "messages"
    search = "messages_within" if scan.request.is_narrow else usual
    return list(map(Candidate._make, await retrieval.search_rows(database, search, scan.values)))


async def learned(database: Database, scan: Scan, statuses: Sequence[str]) -> list[Learned]:
    """Candidates among the memories and the chunk summaries."""
    values = {**scan.values, "statuses": list(statuses)}
    if not values["most_memories"] + values["most_summaries"]:
        return []
    return list(map(Learned._make, await retrieval.search_rows(database, "learned", values)))


def _reranked(size: int) -> int:
    """The number of messages that are compared exactly. It grows with the chat, so that the best are not missed."""
    return max(LEAST_MEASURED, min(400, int(2 * sqrt(size))))


def _sent_between(question: Question) -> tuple[datetime | None, datetime | None, datetime | None]:
    """Three times: the period's start; the time before which most messages about the period are sent; and the last time
    at which words such as "last month" can mean the period. Messages about a future period are sent before its start.
    """
    spans = question.spans
    if not spans and question.told:
        start = min(start for start, _ in question.told)
        return start - LONGEST_MENTIONED, start, start
    if not spans:
        return None, None, None
    end = max(end for _, end in spans)
    return min(start for start, _ in spans), end + REPORTED, end + LONGEST_MENTIONED
