"""Finds what a question needs. (A first version: words only.)"""

from chatmem_server.embedding.protocol import Embedder
from chatmem_server.retrieval.hits import Hit, SearchPage, SearchRequest
from chatmem_server.retrieval.lexical import index_text
from chatmem_server.store.database import Database
from chatmem_server.tsquery import any_of, owner_scope, quoted


class SearchRefused(Exception):
    """The search cannot be done as asked; the text says what to change."""


class Retriever:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def search(self, request: SearchRequest) -> SearchPage:
        return SearchPage((await self._hits(request))[: request.limit], None)

    async def for_prompt(self, request: SearchRequest, *, shown: frozenset[int], excluded: str | None) -> list[Hit]:
        hits = await self._hits(request)
        return [h for h in hits if not (h.kind == "message" and h.id in shown)][:8]

    async def _hits(self, r: SearchRequest) -> list[Hit]:
        lexemes = await self._database.value("retrieval.query_lexemes", index_text(r.query, None)) or []
        scope = owner_scope(r.owner_id) if r.chat_id is None else quoted(f"@c{r.chat_id}")
        rows = await self._database.rows(
            "retrieval.messages",
            r.owner_id,
            r.chat_id,
            None,
            None,
            any_of(lexemes),
            scope,
            2**62,
            200,
            50,
            None,
            None,
            r.thread_key,
        )
        hits = [
            Hit(
                "message",
                x["id"],
                x["chat_id"],
                x["thread_key"],
                x["content"],
                x["content"],
                x["role"],
                x["speaker"],
                x["sent_at"],
                x["utc_offset"],
                x["tokens"],
                x["rank"] or 0.0,
                None,
                x["rank"],
                (x["id"],),
                x["routine"],
                None,
            )
            for x in rows
        ]
        mem = await self._database.rows(
            "retrieval.memories", r.owner_id, r.chat_id, None, any_of(lexemes), owner_scope(r.owner_id), 20, ["active"]
        )
        hits += [
            Hit(
                x["kind"],
                x["id"],
                x["chat_id"],
                None,
                x["content"],
                x["content"],
                None,
                None,
                x["valid_from"],
                0,
                10,
                x["rank"] or 0.0,
                None,
                x["rank"],
                tuple(x["source_ids"]),
                None,
                x["status"],
            )
            for x in mem
        ]
        return sorted(hits, key=lambda h: -h.score)
