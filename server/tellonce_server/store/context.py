"""Reads the database rows for one context in one round trip. The rows are as they are now, or as they were at a past
time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from tellonce.contract import MemoryKind, MemoryStatus
from tellonce_server.core.scope import DEFAULT_CHANNEL
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.messages import Line


@dataclass(frozen=True)
class Limits:
    """Maximum number of rows of each kind to read. Fewer rows than these may fit into the token budget."""

    window: int
    facts: int
    goals: int
    chunks: int
    messages: int


@dataclass(frozen=True)
class ChatHead:
    user_confirmed: str
    llm_inferred: str
    general_summary: str
    tokens: int
    channel: str


@dataclass(frozen=True)
class ThreadHead:
    last_no: int
    covered_to: int
    focus_id: int | None
    slot: dict[str, Any] | None
    slot_until: datetime | None


@dataclass(frozen=True)
class Chunk:
    id: int
    from_id: int
    to_id: int
    from_at: datetime
    to_at: datetime
    text: str


class Remembered(NamedTuple):
    id: int
    kind: MemoryKind
    content: str
    chat_id: int | None
    priority: int
    importance: float
    pinned: bool
    deadline: datetime | None
    valid_from: datetime
    user_confirmed: bool
    note: bool = False
    about: str = "user"


class Learned(NamedTuple):
    """A memory in the section `log` of a context. The memory holds now, was completed, or was replaced by another
    memory. `last_source` is the newest source message of the memory in this chat."""

    id: int
    kind: MemoryKind
    content: str
    at: datetime
    status: MemoryStatus
    note: bool
    about: str
    last_source: int | None = None


class Happened(NamedTuple):
    """A chunk summary in the section `log` of a context. `body` contains the lists of the structured part of the
    summary."""

    from_at: datetime
    to_at: datetime
    text: str
    body: dict[str, list[str]]


@dataclass(frozen=True)
class LogRows:
    """The newest memories and chunk summaries for the `LOG` section of a context. `omitted` is the number of older
    entries, which were not read."""

    learned: Sequence[Learned] = ()
    happened: Sequence[Happened] = ()
    omitted: int = 0


@dataclass(frozen=True)
class ContextRows:
    """The rows for one context. `window` and `chunks` are oldest first. `open` is the number of the thread's messages
    that no chunk summary covers. `erasures` is the owner's count of erasures. `unread` is the number of exchanges that
    no model has read, at most 100."""

    erasures: int
    chat: ChatHead
    thread: ThreadHead
    narrative: str
    thread_summary: str
    window: Sequence[Line]
    open: int
    summarised: int
    chunks: Sequence[Chunk]
    memories: Sequence[Remembered]
    quoted: Line | None
    unread: int = 0


async def read(
    q: Queries,
    owner_id: int,
    chat_id: int,
    thread_key: str,
    limits: Limits,
    quoted_ext_id: str | None,
    as_of: datetime | None = None,
    channel: str = DEFAULT_CHANNEL,
) -> ContextRows:
    """Read the rows. `quoted_ext_id` selects the message of `channel` with this external id, or else the chat's only
    message with this id."""
    sizes = (limits.window, limits.facts, limits.goals, limits.chunks)
    args = (owner_id, chat_id, thread_key, *sizes, quoted_ext_id, limits.messages)
    if as_of is None:
        row = await q.row("context.read", *args, channel)
    else:
        row = await q.row("context.read_as_of", *args, as_of, channel)
    assert row is not None  # a select without FROM always returns a row
    return _rows(row)


async def read_log(q: Queries, owner_id: int, chat_id: int, thread_key: str, *, memories: int, chunks: int) -> LogRows:
    """Read the log: the newest `memories` memories and the newest `chunks` chunk summaries."""
    row = await q.row("context.log", owner_id, chat_id, thread_key, memories, chunks)
    assert row is not None  # a select without FROM always returns a row
    learned = [Learned(*memory) for memory in row["learned"]]
    happened = [Happened(start, end, text, json.loads(body)) for start, end, text, body in row["happened"]]
    return LogRows(learned, happened, row["omitted"])


def _rows(row: Row) -> ContextRows:
    return ContextRows(
        erasures=row["erasures"],
        unread=row["unread"],
        chat=ChatHead(*row["chat"]) if row["chat"] else ChatHead("", "", "", 0, DEFAULT_CHANNEL),
        thread=_thread(*row["thread"]) if row["thread"] else ThreadHead(0, 0, None, None, None),
        narrative=row["narrative"] or "",
        thread_summary=row["thread_summary"] or "",
        window=[Line(*line) for line in row["window"]],
        open=row["open"],
        summarised=row["summarised"],
        chunks=[Chunk(*chunk) for chunk in row["chunks"]][::-1],
        memories=[Remembered(*memory) for memory in row["memories"]],
        quoted=Line(*row["quoted"]) if row["quoted"] is not None else None,
    )


def _thread(
    last_no: int, covered_to: int, focus_id: int | None, slot: str | None, slot_until: datetime | None
) -> ThreadHead:
    """`slot` is JSON as text, because the connection's JSON codec does not apply to values inside a record."""
    return ThreadHead(last_no, covered_to, focus_id, json.loads(slot) if slot else None, slot_until)
