"""Answers `search_memory` with one page of results."""

from functools import partial

from tellonce.contract import SearchMemoryArgs, SearchResult, SearchResults
from tellonce.contract_types import MEMORY_KINDS
from tellonce_server.core.limits import offloaded
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.redaction import GONE
from tellonce_server.domain.location import thread_of
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import Result, requested
from tellonce_server.store import memories
from tellonce_text.changes import Changes, marked
from tellonce_text.dates.clock import age
from tellonce_text.secrets import mask


class Searcher:
    def __init__(self, deps: Dependencies, retriever: Retriever) -> None:
        self._deps = deps
        self._retriever = retriever

    async def search(self, scope: ChatScope, args: SearchMemoryArgs) -> SearchResults:
        """Search. Raises CursorRefused for a cursor of another search."""
        thread = await thread_of(self._deps, scope, args) if args.where == "thread" else None
        chat_id = None if args.where == "all" else scope.chat_id
        searched = {"chat_id": chat_id, "asked_in": scope.chat_id, "thread_key": thread}
        request = requested(args, scope, now=self._deps.now(), zone=self._deps.zone, **searched)
        page = await self._retriever.search(request)
        found = [result for result in page.results if result.full_text != GONE]
        places = [result.place for result in found if result.place is not None]
        changes = await memories.changes(self._deps.database, scope.owner_id, places, scope.chat_id)
        longest = max((len(result.full_text) for result in found), default=0)
        listed = frozenset(result.id for result in found if result.kind in MEMORY_KINDS)
        results = await offloaded(longest, lambda: tuple(map(partial(self._result, changes, listed), found)))
        return SearchResults(results=results, next_cursor=page.next_cursor)

    def _result(self, changes: Changes, listed: frozenset[int], result: Result) -> SearchResult:
        return SearchResult(
            **{name: getattr(result, name) for name in ("id", "kind", "role", "speaker", "chat_id", "thread_key")},
            text=mask(marked(result.full_text, result.place, changes, listed)),
            at=result.at.astimezone(self._deps.zone),
            age=age(result.at, self._deps.now(), self._deps.zone),
            score=round(result.score, 6),
            sources=tuple(result.source_ids),
            due=result.due.astimezone(self._deps.zone) if result.due is not None else None,
            status=result.memory_status if result.memory_status != "active" else None,
        )
