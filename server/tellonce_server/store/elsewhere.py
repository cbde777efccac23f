"""Reads recent messages from outside a thread: other threads of its chat and the owner's other chats."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tellonce_server.core.scope import CONVERSATIONS, ChatScope, root_thread
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import Line

LEFT_MESSAGES = 4
REPLY_THREADS = 2
OTHER_CHATS = 3


@dataclass(frozen=True)
class Talk:
    """The newest messages of one conversation, oldest first. `name` is the client's name for the chat."""

    chat_id: int
    lines: Sequence[Line]
    channel: str = ""
    name: str | None = None


@dataclass(frozen=True)
class Elsewhere:
    """Recent messages from outside a thread. `left`: for a reply thread, the newest messages of the thread that it
    branched from. `replies`: for the chat's main thread, the newest messages of its reply threads. `others`: the newest
    exchange of each of the owner's other chats, newest first."""

    left: Sequence[Line] = ()
    replies: Sequence[Talk] = ()
    others: Sequence[Talk] = ()


async def read(q: Queries, where: ChatScope, thread_key: str, excluded: str | None, moment: datetime) -> Elsewhere:
    """Read the recent messages from outside the thread. `excluded` is the external id of the message being answered.
    Messages recorded after that message are not read."""
    row = await q.row(
        "elsewhere.read",
        *(where.owner_id, where.chat_id, thread_key, excluded, moment, _head(where, thread_key)),
        *(root_thread(where.chat_id), LEFT_MESSAGES, REPLY_THREADS, OTHER_CHATS, where.channel, CONVERSATIONS),
    )
    assert row is not None  # a select without FROM always returns a row
    replies: dict[str, list[Line]] = {}
    for key, *line in row["replies"]:
        replies.setdefault(key, []).append(Line(*line))
    others: dict[int, tuple[str, str | None, list[Line]]] = {}
    for chat_id, channel, name, *line in row["others"]:
        others.setdefault(chat_id, (channel, name, []))[2].append(Line(*line))
    return Elsewhere(
        left=[Line(*line) for line in row["left_talk"]][::-1],
        replies=[Talk(where.chat_id, lines) for lines in replies.values()],
        others=[Talk(chat, lines, channel, name) for chat, (channel, name, lines) in others.items()],
    )


async def answers_to_earlier(q: Queries, where: ChatScope, thread_key: str, message_id: int) -> frozenset[int]:
    """Return the ids of the messages that were recorded after `message_id` and answer a message before `message_id`."""
    rows = await q.rows("elsewhere.answers_to_earlier", where.owner_id, where.chat_id, thread_key, message_id)
    return frozenset(row["id"] for row in rows)


def _head(where: ChatScope, thread_key: str) -> str | None:
    """The external id of the message that started a reply thread; None for any other thread."""
    kind, _, rest = thread_key.partition(":")
    head = rest.partition(":")[2]
    return head.removeprefix(f"{where.guest}/") if kind == "reply" else None
