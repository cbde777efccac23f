"""Reads the rows for one context in one round trip. A context shows the memory as it is now, or as it was at a past
time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tellonce.contract import GetContextArgs, MemoryKind, MemoryStatus
from tellonce_server.core.scope import CONVERSATIONS, DEFAULT_CHANNEL, ChatScope, root_thread
from tellonce_server.store.database import Queries, Row, one
from tellonce_server.store.messages import Line

LEFT_MESSAGES = 4
REPLY_THREADS = 2
OTHER_CHATS = 3


@dataclass(frozen=True)
class Limits:
    """Maximum number of rows of each kind to read. The token budget may have room for fewer."""

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
    """A memory that a context may show. `happens` is the start of the time that the memory is about, such as the start
    of an event."""

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
    happens: datetime | None = None

    @property
    def times(self) -> list[datetime]:
        """The known times among `happens` and `deadline`."""
        return [at for at in (self.happens, self.deadline) if at is not None]


class Learned(NamedTuple):
    """A memory in a context's section `log`. `last_source` is the memory's newest source message in this chat."""

    id: int
    kind: MemoryKind
    content: str
    at: datetime
    status: MemoryStatus
    note: bool
    about: str
    last_source: int | None = None


class Happened(NamedTuple):
    """A chunk summary in a context's section `log`; `body` contains the lists of its structured part."""

    from_at: datetime
    to_at: datetime
    text: str
    body: dict[str, list[str]]


@dataclass(frozen=True)
class LogRows:
    """The newest memories and chunk summaries for the log. `omitted` counts the older ones."""

    learned: Sequence[Learned] = ()
    happened: Sequence[Happened] = ()
    omitted: int = 0


@dataclass(frozen=True)
class Talk:
    """The newest messages of one conversation, oldest first. `name` is the client's name for the chat."""

    chat_id: int
    lines: Sequence[Line]
    channel: str = ""
    name: str | None = None


@dataclass(frozen=True)
class Elsewhere:
    """Recent messages from outside a thread.

    - `left`: the newest messages of the thread from which a reply thread branched.
    - `replies`: the newest messages of the reply threads of the chat's main thread.
    - `others`: the newest exchange of each of the owner's other chats, newest first.
    """

    left: Sequence[Line] = ()
    replies: Sequence[Talk] = ()
    others: Sequence[Talk] = ()


@dataclass(frozen=True)
class ContextRows:
    """The rows for one context, oldest first. `open` counts the thread's messages without a chunk summary. `unread` (at
    most 100) counts the exchanges that no model has read."""

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
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    has_others: bool = False


async def read(
    q: Queries,
    scope: ChatScope,
    thread_key: str,
    args: GetContextArgs,
    now: datetime,
    limits: Limits,
    *,
    elsewhere: bool,
) -> ContextRows:
    """Read the rows. `elsewhere` says whether to read messages outside the thread."""
    row = await one(
        q,
        "context.read" if args.as_of is None else "context.read_as_of",
        *(*scope.key, thread_key, limits.window, limits.facts, limits.goals, limits.chunks),
        *(args.reply_to_message_id, limits.messages, args.as_of or now, scope.channel, args.exclude_message_id),
        *(_head(scope, thread_key), root_thread(scope.chat_id), LEFT_MESSAGES, REPLY_THREADS, OTHER_CHATS),
        *(CONVERSATIONS, elsewhere),
    )
    return _rows(row, scope.chat_id)


def _head(scope: ChatScope, thread_key: str) -> str | None:
    kind, _, rest = thread_key.partition(":")
    return rest.partition(":")[2].removeprefix(f"{scope.guest}/") if kind == "reply" else None


async def answers_to_earlier(q: Queries, scope: ChatScope, thread_key: str, message_id: int) -> frozenset[int]:
    """The ids of messages after `message_id` that answer messages before `message_id`."""
    rows = await q.rows("context.answers_to_earlier", scope.owner_id, scope.chat_id, thread_key, message_id)
    return frozenset(row["id"] for row in rows)


async def read_log(q: Queries, owner_id: int, chat_id: int, thread_key: str, *, memories: int, chunks: int) -> LogRows:
    """Read the log: the newest `memories` memories and the newest `chunks` chunk summaries."""
    row = await one(q, "context.log", owner_id, chat_id, thread_key, memories, chunks)
    learned = [Learned(*memory) for memory in row["learned"]]
    happened = [Happened(start, end, text, json.loads(body)) for start, end, text, body in row["happened"]]
    return LogRows(learned, happened, row["omitted"])


def _rows(row: Row, chat_id: int) -> ContextRows:
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
        elsewhere=_elsewhere(row, chat_id),
        has_others=row["has_others"],
    )


def _elsewhere(row: Row, chat_id: int) -> Elsewhere:
    replies: dict[str, list[Line]] = {}
    for key, *line in row["replies"]:
        replies.setdefault(key, []).append(Line(*line))
    others: dict[int, tuple[str, str | None, list[Line]]] = {}
    for chat, channel, name, *line in row["others"]:
        others.setdefault(chat, (channel, name, []))[2].append(Line(*line))
    return Elsewhere(
        left=[Line(*line) for line in row["left_talk"]][::-1],
        replies=[Talk(chat_id, lines) for lines in replies.values()],
        others=[Talk(chat, lines, channel, name) for chat, (channel, name, lines) in others.items()],
    )


def _thread(
    last_no: int, covered_to: int, focus_id: int | None, slot: str | None, slot_until: datetime | None
) -> ThreadHead:
    """`slot` is JSON as text, because the connection's JSON codec does not apply to values inside a record."""
    return ThreadHead(last_no, covered_to, focus_id, json.loads(slot) if slot else None, slot_until)
