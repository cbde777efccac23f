"""Stores the messages verbatim."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tellonce import tracing
from tellonce.contract import JobKind, Role
from tellonce_server.core.scope import DEFAULT_CHANNEL, ChatId, MessageId, OwnerId, ThreadKey
from tellonce_server.store.database import Queries, Row, one
from tellonce_server.store.named_queries import MaybeRow, Rows, Run, named, placed

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


by_ext_id = MaybeRow[[OwnerId, ChatId, str, str], StoredMessage]("messages.by_ext_id", named(StoredMessage))
"""Return the message of `channel` with this external id; if there is none, return the chat's only message with this
id."""

by_id = MaybeRow[[OwnerId, ChatId, MessageId], StoredMessage]("messages.by_id", named(StoredMessage))


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


versions = Rows[[OwnerId, ChatId, MessageId], TextVersion]("messages.versions", placed(TextVersion))
id_range = Rows[[OwnerId, ChatId, ThreadKey, MessageId, MessageId, int], Line]("messages.id_range", placed(Line))
last_of_range = Rows[[OwnerId, ChatId, ThreadKey, MessageId, MessageId, int], Line](
    "messages.last_of_range", placed(Line)
)
"""The last messages of a range, oldest first."""


async def before_in_thread(
    q: Queries, owner_id: int, chat_id: int, thread_key: str, message_id: int, limit: int
) -> list[Line]:
    """Return the last `limit` messages of the thread before the message `message_id`, oldest first."""
    return lines(await q.rows("messages.before_in_thread", owner_id, chat_id, thread_key, message_id, limit))[::-1]


by_ids = Rows[[OwnerId, ChatId, Sequence[int]], Line]("messages.by_ids", placed(Line))
page = Rows[[OwnerId, ChatId, MessageId, int], Line]("messages.page", placed(Line))
"""A page of messages, newest first."""

around = Rows[[OwnerId, ChatId, MessageId, int, datetime | None], Line]("context.around", placed(Line))
"""Return the messages around the given message in its thread, oldest first. With `as_of`, they have the texts that
they had at that time."""

set_routine_summary = Run[[OwnerId, ChatId, MessageId, str]]("messages.set_routine_summary")
routines_since = Rows[[OwnerId, ChatId, datetime], Routine]("messages.routines_since", placed(Routine))


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
