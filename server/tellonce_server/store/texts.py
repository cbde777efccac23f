"""The queries that find and clean an owner's texts. The places of the texts are listed in
`domain/erasure/text_places.py`."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from tellonce_server.core.scope import ChatId, OwnerId
from tellonce_server.store.database import Database, Queries, unzip
from tellonce_server.store.named_queries import Rows, placed

PAGE = 500
"""Number of rows that are read at a time."""
_ANY = ["%"]
ARCHIVED = "archived"
"""The subject of a canonical summary of a former epoch."""


class TextRow(NamedTuple):
    """A row with an owner's text. `texts` are its text columns in a fixed order. `body` is its JSON column."""

    place: str
    chat_id: int | None
    id: int
    version: int
    subject: str
    thread_key: str
    at: datetime
    texts: list[str | None]
    body: Any


class NewText(NamedTuple):
    """The new texts of a row, in the order of `TextRow.texts`. `tokens` counts their tokens. `index_text` has the words
    to index."""

    row: TextRow
    texts: Sequence[str | None]
    body: Any
    tokens: int
    index_text: str = ""

    def fields(self, replaced_at: datetime | None) -> dict[str, object]:
        """The fields that the queries read. `replaced_at` is None if the former text must not be kept."""
        row = self.row
        return {
            **{"chat_id": row.chat_id, "id": row.id, "version": row.version, "thread_key": row.thread_key},
            **{"texts": self.texts, "body": self.body, "words": self.index_text, "replaced_at": replaced_at},
            "tokens": self.tokens,
        }


async def find(
    database: Database, owner_id: int, chat_id: int | None, patterns: Sequence[str], places: Iterable[str]
) -> AsyncGenerator[list[TextRow]]:
    """Pages of the rows in these places. A row is included if one of its texts may match a pattern. All pages are from
    one snapshot. `chat_id` limits them to one chat."""
    async with database.transaction() as t:
        async for page in t.pages("texts.find", PAGE, owner_id, chat_id, list(patterns), list(places)):
            yield [TextRow(*row) for row in page]


async def current(q: Queries, owner_id: int, places: Iterable[str]) -> list[TextRow]:
    """The texts in these places, except the texts of archived summaries."""
    rows = [TextRow(*row) for row in await q.rows("texts.find", owner_id, None, _ANY, list(places))]
    return [row for row in rows if row.subject != ARCHIVED]


async def messages(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]]) -> list[TextRow]:
    return [TextRow(*row) for row in await q.rows("texts.messages", owner_id, *unzip(keys, 2))]


messages_between = Rows[[OwnerId, ChatId | None, datetime | None, datetime | None], TextRow](
    "texts.messages_between", placed(TextRow)
)


async def neighbors(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]], limit: int) -> list[TextRow]:
    """The neighbors of each given message in its thread: the messages directly before and after it, and messages up to
    three places away if they were sent within a minute of it."""
    return [TextRow(*row) for row in await q.rows("texts.neighbors", owner_id, *unzip(keys, 2), limit)]


async def redact_messages(
    q: Queries, owner_id: int, new: Sequence[tuple[NewText, Sequence[bytes]]], now: datetime
) -> set[tuple[int, int]]:
    """Write new texts into the messages that still have the expected versions, with tombstones of the removed
    sentences. Returns the changed messages as (chat, number)."""
    marks = unzip([(text.row.chat_id, text.row.id, claim) for text, claims in new for claim in claims], 3)
    fields = [text.fields(None) for text, _ in new]
    rows = await q.rows("texts.redact_messages", owner_id, fields, *marks, now)
    return {(row["chat_id"], row["id"]) for row in rows}


async def clean(q: Queries, owner_id: int, place: str, new: Sequence[NewText], replaced_at: datetime | None) -> None:
    """Write new texts into the rows of one place, except rows that have changed. With `replaced_at`, the former texts
    are kept."""
    await q.run(f"texts.clean_{place}", owner_id, [text.fields(replaced_at) for text in new])
