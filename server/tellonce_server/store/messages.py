"""Stores the messages verbatim."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tellonce import tracing
from tellonce.contract import JobKind, Role
from tellonce_server.core.scope import DEFAULT_CHANNEL
from tellonce_server.store.database import Queries, Row, one

NEWEST = 2**62
"""A number greater than any message number."""
PAGE = 500


@dataclass(frozen=True)
class FollowUp:
    """The job that a new message queues. The job is about the messages from `first` (None: the new message) to the new
    message.

    The job is merged into an unclaimed job of the same kind and key. A job without a key is never merged.
    """

    kind: JobKind
    key: str | None
    first: int | None
    not_before: datetime
    traceparent: str | None = field(default_factory=tracing.traceparent)


@dataclass(frozen=True)
class NewMessage:
    """A message to be recorded. `utc_offset` is in minutes; `slot` is the information that the assistant asked for.

    `home` and `conversation` are stored with the chat when its first message creates it.
    """

    owner_id: int
    chat_id: int
    channel: str
    home: str
    conversation: str | None
    now: datetime
    thread_key: str
    role: Role
    content: str
    speaker: str | None
    ext_id: str | None
    reply_to: str | None
    agent_id: str | None
    routine: str | None
    routine_summary: str | None
    exchange_of: int | None
    importance: float
    tokens: int
    sent_at: datetime
    utc_offset: int
    index_text: str
    scope: Sequence[str]
    slot: dict[str, Any] | None
    slot_until: datetime | None
    ends_exchange: bool
    follow_up: FollowUp | None


@dataclass(frozen=True)
class Recorded:
    """The id of the recorded message, and the state of its thread afterwards. `before` is the time at which the
    thread's previous message was sent."""

    id: int
    last_no: int
    covered_to: int
    queued_to: int
    open_tokens: int
    before: datetime | None


@dataclass(frozen=True)
class StoredMessage:
    """A recorded message in its current version."""

    id: int
    thread_key: str
    thread_no: int
    role: Role
    content: str
    routine: str | None
    importance: float
    tokens: int
    sent_at: datetime
    version: int
    channel: str
    speaker: str | None


class Line(NamedTuple):
    """A message with the fields that a context shows."""

    id: int
    thread_no: int
    role: Role
    content: str
    routine: str | None
    routine_summary: str | None
    speaker: str | None
    sent_at: datetime
    utc_offset: int
    tokens: int
    ext_id: str | None
    version: int
    channel: str = DEFAULT_CHANNEL


@dataclass(frozen=True)
class TextVersion:
    version: int
    text: str
    replaced_at: datetime


@dataclass(frozen=True)
class Routine:
    id: int
    name: str
    summary: str
    sent_at: datetime


async def record(q: Queries, m: NewMessage) -> Recorded:
    """Store the message and queue its job in one statement. After a crash, a repeated call therefore queues no second
    job.

    Raises: asyncpg.UniqueViolationError: the chat has a message with that external id from the same channel.
    """
    job = m.follow_up
    row = await one(
        q,
        "messages.record",
        *(m.owner_id, m.chat_id, m.channel, m.now, m.thread_key, m.role, m.content, m.speaker, m.ext_id, m.reply_to),
        *(m.agent_id, m.routine, m.routine_summary, m.exchange_of, m.importance, m.tokens, m.sent_at, m.utc_offset),
        *(m.index_text, list(m.scope), m.slot, m.slot_until, m.ends_exchange),
        *((job.kind, job.key, job.first, job.not_before, job.traceparent) if job else (None, None, None, None, None)),
        *(m.home, m.conversation),
    )
    return Recorded(**row)


async def by_ext_id(q: Queries, owner_id: int, chat_id: int, ext_id: str, channel: str) -> StoredMessage | None:
    """Return the message of `channel` with this external id; if there is none, return the chat's only message with this
    id."""
    return _stored(await q.row("messages.by_ext_id", owner_id, chat_id, ext_id, channel))


async def by_id(q: Queries, owner_id: int, chat_id: int, message_id: int) -> StoredMessage | None:
    return _stored(await q.row("messages.by_id", owner_id, chat_id, message_id))


async def edit(
    q: Queries,
    owner_id: int,
    chat_id: int,
    old: StoredMessage,
    *,
    content: str,
    importance: float,
    tokens: int,
    index_text: str,
    scope: Sequence[str],
    now: datetime,
) -> bool:
    """Store an edit. Returns False if another call changed the message first."""
    args = (old.id, old.version, content, importance, tokens, index_text, list(scope), now)
    return await q.row("messages.edit", owner_id, chat_id, *args) is not None


async def versions(q: Queries, owner_id: int, chat_id: int, message_id: int) -> list[TextVersion]:
    return [TextVersion(*row) for row in await q.rows("messages.versions", owner_id, chat_id, message_id)]


async def id_range(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, first: int, last: int, limit: int
) -> list[Line]:
    return lines(await q.rows("messages.id_range", owner_id, chat_id, thread_key, first, last, limit))


async def last_of_range(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, first: int, last: int, limit: int
) -> list[Line]:
    """The last messages of a range, oldest first."""
    return lines(await q.rows("messages.last_of_range", owner_id, chat_id, thread_key, first, last, limit))


async def before_in_thread(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, message_id: int, limit: int
) -> list[Line]:
    """Return the last `limit` messages of the thread before the message `message_id`, oldest first."""
    return lines(await q.rows("messages.before_in_thread", owner_id, chat_id, thread_key, message_id, limit))[::-1]


async def by_ids(q: Queries, owner_id: int, chat_id: int, ids: Sequence[int]) -> list[Line]:
    return lines(await q.rows("messages.by_ids", owner_id, chat_id, list(ids)))


async def page(q: Queries, owner_id: int, chat_id: int, before: int, limit: int) -> list[Line]:
    """A page of messages, newest first."""
    return lines(await q.rows("messages.page", owner_id, chat_id, before, limit))


async def around(
    q: Queries, owner_id: int, chat_id: int, message_id: int, each_side: int, as_of: datetime | None
) -> list[Line]:
    """Return the messages around the given message in its thread, oldest first. With `as_of`, they have the texts that
    they had at that time."""
    return lines(await q.rows("context.around", owner_id, chat_id, message_id, each_side, as_of))


async def set_routine_summary(q: Queries, owner_id: int, chat_id: int, message_id: int, summary: str) -> None:
    await q.run("messages.set_routine_summary", owner_id, chat_id, message_id, summary)


async def routines_since(q: Queries, owner_id: int, chat_id: int, since: datetime) -> list[Routine]:
    return [Routine(*row) for row in await q.rows("messages.routines_since", owner_id, chat_id, since)]


async def of_thread(q: Queries, owner_id: int, chat_id: int, thread_key: str) -> AsyncGenerator[Line]:
    """All messages of a thread, oldest first, read in pages. A short page is the last one."""
    after = 0
    while page := await id_range(q, owner_id, chat_id, thread_key, after + 1, NEWEST, PAGE):
        for line in page:
            yield line
        if len(page) < PAGE:
            return
        after = page[-1].id


def line(row: Row) -> Line:
    return Line(*(row[name] for name in Line._fields))


def lines(rows: Sequence[Row]) -> list[Line]:
    return [Line(*row) for row in rows]


def _stored(row: Row | None) -> StoredMessage | None:
    return StoredMessage(**row) if row is not None else None
