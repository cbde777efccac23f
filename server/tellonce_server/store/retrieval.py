"""The queries of a search. `retrieval.sql` describes the parameters of the searches for candidates. The callers pass
the values of these parameters by name."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from tellonce_server.store.database import Queries, Row, one, unzip
from tellonce_sql import arguments


async def scope_facts(
    q: Queries,
    owner_id: int,
    chat_id: int | None,
    texts: Sequence[str],
    span: tuple[datetime | None, datetime | None],
) -> Row:
    """What the analysis of the query needs to know about the searched scope. `texts` are three parts of the query: the
    query without its exact times, the exact times, and the names of times. `span` is the period that the query names.
    """
    return await one(q, "retrieval.scope_facts", owner_id, chat_id, *texts, *span)


async def query_lexemes(q: Queries, text: str) -> list[str]:
    lexemes: list[str] | None = await q.value("retrieval.query_lexemes", text)
    return lexemes or []


async def shares(q: Queries) -> dict[str, float]:
    """For the most frequent lexemes, return the share of messages that contain each lexeme."""
    return {row["lexeme"]: row["frequency"] for row in await q.rows("retrieval.document_frequencies")}


Search = Literal["messages", "messages_of_chat", "messages_within", "learned"]


async def search_rows(q: Queries, search: Search, values: Mapping[str, Any]) -> list[Row]:
    return await q.rows(f"retrieval.{search}", *arguments(f"retrieval.{search}", values))


async def contents(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Return the whole texts of some messages. `keys` and the result name each message by (chat, number)."""
    if not keys:
        return {}
    rows = await q.rows("retrieval.contents", owner_id, *unzip(keys, 2))
    return {(row["chat_id"], row["id"]): row["content"] for row in rows}


async def contents_as_of(
    q: Queries, owner_id: int, keys: Sequence[tuple[int, int]], moment: datetime
) -> dict[tuple[int, int], str]:
    """The texts at `moment` of messages that were edited later, by (chat, number)."""
    rows = await q.rows("retrieval.contents_as_of", owner_id, *unzip(keys, 2), moment)
    return {(row["chat_id"], row["id"]): row["content"] for row in rows}
