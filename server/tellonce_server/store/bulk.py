"""Stores many messages at once, and reads all memories for an export. The ids and the places of the messages are
reserved together."""

from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from tellonce.contract import Memory
from tellonce_server.core.scope import ChatScope
from tellonce_server.store.database import Queries, Row, one
from tellonce_server.store.memories import Quoted, memory
from tellonce_server.store.messages import ImportMessage, MessageText, TextVersion, columns
from tellonce_server.store.reminders import Alarm
from tellonce_sql import arguments


class Placed(NamedTuple):
    """A message to store, with its thread, the values computed from its text, and a time that is not in the future."""

    message: ImportMessage
    thread_key: str
    text: MessageText
    sent_at: datetime


def by_number(chat_id: int, number: int | str) -> str:
    """Return the external id for a message that got no external id from its channel."""
    return f"{chat_id}:{number}"


@dataclass(frozen=True)
class Named:
    """The identity of a message. `sent_at` is None if only the id is known, as for the target of a reply."""

    channel: str
    ext_id: str
    sent_at: datetime | None = None


async def known(
    q: Queries, owner_id: int, chat_id: int, named: Sequence[Named], numbered: Sequence[tuple[int, datetime]]
) -> dict[tuple[str, str], str]:
    """The thread key of each given message that is already stored, by channel and external id. The messages in
    `numbered` are found by number and time; their channel in the result is empty."""
    numbers, times = [number for number, _ in numbered], [at for _, at in numbered]
    by_id = ([n.ext_id for n in named], numbers, times, [n.channel for n in named], [n.sent_at for n in named])
    rows = await q.rows("bulk.known", owner_id, chat_id, *by_id)
    return {(row["channel"] or "", row["ext_id"] or by_number(chat_id, row["id"])): row["thread_key"] for row in rows}


async def add(q: Queries, scope: ChatScope, rows: Sequence[Placed], now: datetime) -> list[int]:
    """Store the messages and return their ids in the same order. The caller must be inside a transaction, because this
    locks the chat."""
    owner_id, chat_id = scope.owner_id, scope.chat_id
    exchanges = sum(row.message.role == "assistant" for row in rows)
    counts = (len(rows), exchanges, now)
    reserved = await one(q, "bulk.reserve", owner_id, chat_id, scope.home, *counts, scope.conversation)
    numbers = [reserved["before"] + n for n in range(1, len(rows) + 1)]
    said = [
        {"channel": r.message.channel, "thread_key": r.thread_key, **columns(r.message, r.text, r.sent_at)}
        for r in rows
    ]
    values: dict[str, Any] = {name: [message[name] for message in said] for name in said[0]}
    values |= {"id": numbers, "thread_no": await _thread_numbers(q, owner_id, chat_id, rows, numbers)}
    values |= {"owner_id": owner_id, "chat_id": chat_id, "epoch": reserved["epoch"], "now": now}
    await q.run("messages.add", *arguments("messages.add", values))
    return numbers


async def _thread_numbers(
    q: Queries, owner_id: int, chat_id: int, rows: Sequence[Placed], numbers: Sequence[int]
) -> list[int]:
    threads: defaultdict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        threads[row.thread_key].append(index)
    out = [0] * len(rows)
    for thread in sorted(threads):  # a fixed order, so that two importers cannot deadlock
        members = threads[thread]
        tokens = sum(rows[i].text.tokens for i in members)
        replies = [numbers[i] for i in members if rows[i].message.role == "assistant"]
        before = await q.value(
            "bulk.extend_thread", owner_id, chat_id, thread, len(members), tokens, replies[-1] if replies else None
        )
        for offset, i in enumerate(members, 1):
            out[i] = before + offset
    return out


class SourceMessage(NamedTuple):
    """The number, external id and channel of a message."""

    id: int
    ext_id: str | None
    channel: str


@dataclass(frozen=True)
class Exported:
    """A memory as an export contains it. `said` are its source messages in the chat `source_chat_id`."""

    memory: Memory
    model: str | None
    shown: bool
    source_chat_id: int | None
    versions: Sequence[TextVersion]
    said: Sequence[SourceMessage]
    quotes: Sequence[Quoted]
    alarm: Alarm | None
    user_name: str | None
    categories: Sequence[str] | None


PAGE = 200
"""Number of memories that are read at a time."""


async def exported(q: Queries, owner_id: int) -> AsyncGenerator[Exported]:
    """All memories of the owner in order, read in pages."""
    after = 0
    while rows := await q.rows("bulk.exported", owner_id, after, PAGE):
        for row in rows:
            yield _exported(row)
        after = rows[-1]["id"]


def _exported(row: Row) -> Exported:
    alarm = (row["due_at"], row["repeats"], row["alarm_chat_id"], row["message_thread_id"], row["done_at"])
    return Exported(
        **{name: row[name] for name in ("model", "shown", "source_chat_id", "user_name", "categories")},
        memory=memory(row),
        versions=[TextVersion(*version) for version in row["versions"]],
        said=[SourceMessage(*message) for message in row["said"]],
        quotes=[Quoted(**quote) for quote in row["quotes"]],
        alarm=Alarm(*alarm) if row["due_at"] is not None else None,
    )
