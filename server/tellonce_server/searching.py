"""Answers `search_memory`: a page of what a query finds, as the contract tells it."""

from tellonce.contract import SearchMemoryArgs, SearchResult, SearchResults
from tellonce_server.dates.clock import age
from tellonce_server.locating import lane_of
from tellonce_server.offload import offloaded
from tellonce_server.places import Where
from tellonce_server.retrieval.hits import Hit, SearchRequest
from tellonce_server.retrieval.search import Retriever
from tellonce_server.services import Kit
from tellonce_server.text.secrets import mask


class Searcher:
    def __init__(self, kit: Kit, retriever: Retriever) -> None:
        self._kit = kit
        self._retriever = retriever

    async def search(self, where: Where, args: SearchMemoryArgs) -> SearchResults:
        """Raises CursorRefused for a cursor of another search."""
        lane = await lane_of(self._kit.database, where, args) if args.where == "thread" else None
        page = await self._retriever.search(
            SearchRequest(
                owner_id=where.owner_id,
                chat_id=None if args.where == "all" else where.chat_id,
                thread_key=lane,
                query=args.query,
                now=self._kit.now(),
                zone=self._kit.zone,
                kinds=args.kinds,
                since=args.since,
                until=args.until,
                limit=args.limit,
                cursor=args.cursor,
            )
        )
        longest = max((len(hit.full_text) for hit in page.hits), default=0)
        results = await offloaded(longest, lambda: tuple(map(self._result, page.hits)))
        return SearchResults(results=results, next_cursor=page.next_cursor)

    def _result(self, hit: Hit) -> SearchResult:
        return SearchResult(
            id=hit.id,
            kind=hit.kind,
            text=mask(hit.full_text),
            role=hit.role,
            speaker=hit.speaker,
            at=hit.at.astimezone(self._kit.zone),
            age=age(hit.at, self._kit.now(), self._kit.zone),
            chat_id=hit.chat_id,
            thread_key=hit.thread_key,
            score=round(hit.score, 6),
            sources=tuple(hit.source_ids),
        )
