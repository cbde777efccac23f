"""The queries of `forget`. The queries find and change every text of an owner, and store previews that contain no
text."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from tellonce.contract import MemoryKind
from tellonce_server.store.database import Database, Queries, Row, unzip

TextPlace = Literal[
    "message", "message_version", "memory", "memory_version", "summary", "canonical", "profile", "former", "slot", "job",
    "model_call", "chat", "thread",
]  # fmt: skip
PAGE = 500
"""Rows read at a time. Processing a page blocks the event loop, so other calls can run only between pages."""


class TextRow(NamedTuple):
    """A row that contains text of an owner. `texts` are its text columns in a fixed order; `body` is its JSON
    column."""

    place: TextPlace
    chat_id: int | None
    id: int
    version: int
    subject: str
    thread_key: str
    at: datetime
    texts: list[str | None]
    body: Any


@dataclass(frozen=True)
class Statement:
    """A memory with the fields that `forget` needs. The sources of the statement are messages of the chat
    `source_chat_id`."""

    id: int
    version: int
    chat_id: int | None
    kind: MemoryKind
    content: str
    quotes: Sequence[str]
    valid_from: datetime
    source_chat_id: int | None
    source_ids: Sequence[int]


@dataclass(frozen=True)
class Preview:
    """A stored preview. `asked` is a keyed hash of the request; the first confirmation appends a hash of the selection.
    `hits` lists the matches as JSON, by number."""

    chat_id: int
    until: datetime
    asked: bytes
    hits: str


@dataclass(frozen=True)
class NewText:
    """The new text of a message that an erasure changes. `texts` is in the order of `TextRow.texts`; `claims` are
    hashes of the removed sentences."""

    chat_id: int
    id: int
    version: int
    texts: tuple[str | None, ...]
    tokens: int
    index_text: str
    claims: Sequence[bytes]


@dataclass(frozen=True)
class NewSummary:
    chat_id: int
    id: int
    version: int
    text: str
    body: Any
    tokens: int
    index_text: str


async def texts(
    database: Database, owner_id: int, chat_id: int | None, patterns: Sequence[str], *, messages: bool
) -> AsyncGenerator[list[TextRow]]:
    """All texts of an owner, or of one chat, that may match a pattern, in pages read from one snapshot."""
    async with database.transaction() as t:
        async for page in t.pages("forget.texts", PAGE, owner_id, chat_id, list(patterns), messages):
            yield [TextRow(*row) for row in page]


async def messages(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]]) -> list[TextRow]:
    """Return the messages with the keys `keys`, each (chat, number)."""
    return [TextRow(*row) for row in await q.rows("forget.messages", owner_id, *unzip(keys, 2))]


async def messages_between(
    q: Queries, owner_id: int, chat_id: int | None, since: datetime | None, until: datetime | None
) -> list[TextRow]:
    return [TextRow(*row) for row in await q.rows("forget.messages_between", owner_id, chat_id, since, until)]


async def memories(q: Queries, owner_id: int, ids: Sequence[int]) -> list[Statement]:
    return _statements(await q.rows("forget.memories", owner_id, list(ids)))


async def memories_of(
    q: Queries,
    owner_id: int,
    chat_id: int,
    *,
    is_own: bool,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Statement]:
    """The memories of a chat. If the chat is the owner's own chat (`is_own`), memories that belong to no chat are
    included."""
    return _statements(await q.rows("forget.memories_of", owner_id, chat_id, is_own, since, until))


async def neighbors(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]], limit: int) -> list[TextRow]:
    """Return the messages directly before and after each given message in its thread, and messages up to three
    positions away from the given message that were sent within a minute of it."""
    return [TextRow(*row) for row in await q.rows("forget.neighbors", owner_id, *unzip(keys, 2), limit)]


async def resting_on(
    q: Queries, owner_id: int, keys: Sequence[tuple[int, int]], without: Sequence[int], limit: int
) -> list[Statement]:
    """Return the current memories that were learned from the messages `keys`, except the memories `without`."""
    return _statements(await q.rows("forget.resting_on", owner_id, *unzip(keys, 2), list(without), limit))


async def add_preview(q: Queries, owner_id: int, preview_id: str, preview: Preview, now: datetime) -> None:
    p = preview
    await q.run("forget.add_preview", owner_id, preview_id, p.chat_id, p.until, p.asked, p.hits, now)


async def preview(q: Queries, owner_id: int, preview_id: str) -> Preview | None:
    row = await q.row("forget.preview", owner_id, preview_id)
    return Preview(**row) if row is not None else None


async def bind_preview(q: Queries, owner_id: int, preview_id: str, asked: bytes, selected: bytes) -> bool:
    """Bind a preview to the selection with which it is first confirmed. Returns whether it is bound to `selected`."""
    bound: bytes | None = await q.value("forget.bind_preview", owner_id, preview_id, asked, selected)
    return bound == asked + selected


async def redact_messages(q: Queries, owner_id: int, new: Sequence[NewText], now: datetime) -> set[tuple[int, int]]:
    """Write the new texts of the messages, and the tombstones of the erased texts. Returns the changed messages as
    (chat, number). A message that no longer has the expected version is not changed."""
    columns = unzip([(m.chat_id, m.id, m.version, m.texts[0], m.tokens, m.index_text, *m.texts[1:]) for m in new], 12)
    scopes = [f"@c{m.chat_id}" for m in new]
    marks = unzip([(m.chat_id, m.id, claim) for m in new for claim in m.claims], 3)
    rows = await q.rows("forget.redact_messages", owner_id, *columns, f"@o{owner_id}", scopes, *marks, now)
    return {(row["chat_id"], row["id"]) for row in rows}


async def drop_message_versions(q: Queries, owner_id: int, keys: Sequence[tuple[int, int, int]]) -> int:
    return await q.run("forget.drop_message_versions", owner_id, *unzip(keys, 3))


async def drop_memory_versions(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]]) -> int:
    return await q.run("forget.drop_memory_versions", owner_id, *unzip(keys, 2))


async def drop_details(q: Queries, owner_id: int, ids: Sequence[int]) -> int:
    """Remove what memories that are kept hold besides their content: quotes, reason, subject, categories, user's
    name. A column of memories with a person's words belongs here, too."""
    return await q.run("forget.drop_details", owner_id, list(ids))


async def set_summaries(q: Queries, owner_id: int, new: Sequence[NewSummary]) -> int:
    columns = unzip([(s.chat_id, s.id, s.version, s.text, s.body, s.tokens, s.index_text) for s in new], 7)
    scopes = [f"@c{s.chat_id}" for s in new]
    return await q.run("forget.set_summaries", owner_id, *columns, f"@o{owner_id}", scopes)


async def set_canonical(q: Queries, owner_id: int, row: TextRow, parts: Sequence[str], tokens: int) -> int:
    return await q.run("forget.set_canonical", owner_id, row.chat_id, row.id, row.version, *parts, tokens)


async def set_profile(q: Queries, owner_id: int, row: TextRow, narrative: str, body: Any) -> int:
    lists = (body["facts"], body["preferences"], body["goals"], body["dates"])
    return await q.run("forget.set_profile", owner_id, row.version, narrative, *lists)


async def set_former_lines(q: Queries, owner_id: int, lines: Sequence[tuple[int, str]]) -> None:
    """Replace the texts of single lines in former versions of summaries and profiles. `lines` has pairs of a line's
    number and its new text. A line is deleted if its new text is empty."""
    await q.run("forget.set_former_lines", owner_id, *unzip(lines, 2))


async def clear_errors(q: Queries, owner_id: int, jobs: Sequence[tuple[int, int]]) -> int:
    return await q.run("forget.clear_errors", owner_id, *unzip(jobs, 2))


async def clear_notes(q: Queries, owner_id: int, ids: Sequence[int]) -> int:
    return await q.run("forget.clear_notes", owner_id, list(ids))


async def clear_names(q: Queries, owner_id: int, chat_ids: Sequence[int]) -> int:
    """Replace the client's names of these conversations."""
    return await q.run("forget.clear_names", owner_id, list(chat_ids))


async def rename_threads(q: Queries, owner_id: int, threads: Sequence[tuple[int, str, str]]) -> None:
    """Rename threads, each given as (chat, key, new key), in every table."""
    await q.run("forget.rename_threads", owner_id, *unzip(threads, 3))


async def covering(q: Queries, owner_id: int, keys: Sequence[tuple[int, int]]) -> list[Row]:
    """Return the chunk summaries that cover the messages `keys`, each as (chat, thread, first message, last
    message)."""
    return await q.rows("forget.covering", owner_id, *unzip(keys, 2))


async def lock(q: Queries, owner_id: int, chat_ids: Iterable[int] = ()) -> None:
    """Lock the chats, then the owner, so that only one erasure at a time adds tombstones."""
    await q.value("forget.lock", owner_id, list(chat_ids))


def _statements(rows: Sequence[Row]) -> list[Statement]:
    return [Statement(**row) for row in rows]
