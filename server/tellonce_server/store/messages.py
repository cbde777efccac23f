"""Stores the messages verbatim."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from tellonce import tracing
from tellonce.contract import JobKind, RecordMessageArgs, Role
from tellonce_server.core.scope import DEFAULT_CHANNEL, ChatId, ChatScope, MessageId, OwnerId, ThreadKey
from tellonce_server.store.database import Queries, one
from tellonce_server.store.named_queries import MaybeRow, Rows, Run, named, placed
from tellonce_sql import arguments
from tellonce_text.dates.clock import offset_minutes

NEWEST = 2**62
"""A number greater than any message number."""
PAGE = 500
WORDS: Final = {
    "content": "",
    "speaker": "speaker",
    "routine": "routine",
    "agent_id": "agent",
    "ext_id": "message id",
    "reply_to": "reply to",
}
"""Each column with a person's words, and its name in previews. The part `words` of messages.sql has the same columns."""


@dataclass(frozen=True)
class FollowUp:
    """The job that is queued with a new message. It covers the messages from `first` to the new message. If `first` is
    None, it covers only the new message. It joins an unclaimed job of the same kind and key. A job without a key joins
    no other job."""

    kind: JobKind
    key: str | None
    first: int | None
    not_before: datetime
    traceparent: str | None = field(default_factory=tracing.traceparent)


class OwnConversation(NamedTuple):
    """The conversation of an imported message. Without a name, it is the channel's own chat. An import into one chat
    ignores it."""

    channel: str
    name: str | None = None


@dataclass(frozen=True)
class ImportMessage:
    """One message of an export. A stable `message_id` lets another import recognize it. `conversation` is None for the
    user's private chat."""

    role: Role
    content: str
    message_id: str
    sent_at: datetime
    channel: str
    speaker: str | None = None
    message_thread_id: int | str | None = None
    reply_to_message_id: str | None = None
    conversation: OwnConversation | None = None


@dataclass(frozen=True)
class MessageText:
    """A message's text, and the values that are computed from this text alone."""

    content: str
    importance: float
    tokens: int
    index_text: str


@dataclass(frozen=True)
class NewMessage:
    """A message to be recorded: the call's arguments and the values computed from them. The answer to `args.expects`
    must be sent before `slot_until`. With its first message, a chat gets the channel and the conversation of `scope`.
    """

    scope: ChatScope
    args: RecordMessageArgs
    now: datetime
    thread_key: str
    text: MessageText
    sent_at: datetime
    exchange_of: int | None
    routine_summary: str | None
    slot_until: datetime


@dataclass(frozen=True)
class Recorded:
    """The recorded message's id, and its thread's state. `before` is the time of the thread's previous message."""

    id: int
    last_no: int
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
    ext_id: str | None
    channel: str = DEFAULT_CHANNEL


@dataclass(frozen=True)
class TextVersion:
    version: int
    text: str
    replaced_at: datetime


@dataclass(frozen=True)
class Routine:
    name: str
    summary: str
    sent_at: datetime


def columns(said: RecordMessageArgs | ImportMessage, text: MessageText, sent_at: datetime) -> dict[str, Any]:
    """The values of a recorded or imported message, by the names in the SQL files."""
    own = {"ext_id": said.message_id, "reply_to": said.reply_to_message_id, "sent_at": sent_at}
    return {**vars(said), **vars(text), **own, "utc_offset": offset_minutes(sent_at)}


async def record(q: Queries, m: NewMessage, job: FollowUp | None) -> Recorded:
    """Store the message and queue its job in one statement, which can be repeated after a crash. Raises
    asyncpg.UniqueViolationError for an external id that the chat's channel already has."""
    expects = m.args.expects
    values = {
        **columns(m.args, m.text, m.sent_at),
        **vars(m),
        **vars(m.scope),
        **(vars(job) if job is not None else dict.fromkeys(FollowUp.__dataclass_fields__)),
        "slot": expects.model_dump(mode="json") if expects else None,
        "slot_until": m.slot_until if expects else None,
        "ends_exchange": m.args.role == "assistant" and m.args.routine is None,
    }
    row = await one(q, "messages.record", *arguments("messages.record", values))
    return Recorded(**row)


by_ext_id = MaybeRow[[OwnerId, ChatId, str, str], StoredMessage]("messages.by_ext_id", named(StoredMessage))
by_id = MaybeRow[[OwnerId, ChatId, MessageId], StoredMessage]("messages.by_id", named(StoredMessage))


async def edit(q: Queries, m: NewMessage, old: StoredMessage) -> bool:
    """Store an edit of the message `old`. Returns False if another call changed the message first."""
    text = (m.text.content, m.text.importance, m.text.tokens, m.text.index_text)
    return await q.row("messages.edit", *m.scope.key, old.id, old.version, *text, m.now) is not None


versions = Rows[[OwnerId, ChatId, MessageId], TextVersion]("messages.versions", placed(TextVersion))
id_range = Rows[[OwnerId, ChatId, ThreadKey, MessageId, MessageId, int], Line]("messages.id_range", placed(Line))
last_of_range = Rows[[OwnerId, ChatId, ThreadKey, MessageId, MessageId, int], Line](
    "messages.last_of_range", placed(Line)
)


before_in_thread = Rows[[OwnerId, ChatId, ThreadKey, MessageId, int], Line]("messages.before_in_thread", placed(Line))
by_ids = Rows[[OwnerId, ChatId, Sequence[int]], Line]("messages.by_ids", placed(Line))
page = Rows[[OwnerId, ChatId, MessageId, int], Line]("messages.page", placed(Line))
around = Rows[[OwnerId, ChatId, MessageId, int, datetime | None], Line]("context.around", placed(Line))
set_routine_summary = Run[[OwnerId, ChatId, MessageId, str]]("messages.set_routine_summary")
routines_since = Rows[[OwnerId, ChatId, datetime], Routine]("messages.routines_since", placed(Routine))


async def of_thread(q: Queries, owner_id: int, chat_id: int, thread_key: str) -> AsyncGenerator[Line]:
    """All messages of a thread, oldest first, read in pages. A page that is not full is the last page."""
    after = 0
    while page := await id_range(q, owner_id, chat_id, thread_key, after + 1, NEWEST, PAGE):
        for line in page:
            yield line
        if len(page) < PAGE:
            return
        after = page[-1].id
