"""Exports everything that the memory stores about a person, as entries that an import can read."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict, fields
from typing import Any

from pydantic_core import to_jsonable_python

from tellonce_server.core.scope import is_conversation, reply_thread, topic_thread
from tellonce_server.domain.queue.job_type import sender_time
from tellonce_server.store import bulk, calendar, chats, messages, profile, summaries, threads
from tellonce_server.store.bulk import Exported, SourceMessage, by_number
from tellonce_server.store.chats import ChatEntry
from tellonce_server.store.database import Queries
from tellonce_server.store.messages import ImportMessage, Line

Entry = dict[str, Any]
"""An entry of the file. Its `type` is `profile`, `canonical`, `summary`, `message` or `memory`."""


async def entries(q: Queries, owner_id: int) -> AsyncGenerator[Entry]:
    """The profile, each chat's summaries and messages by thread (oldest first), and the memories."""
    narrative = await profile.find(q, owner_id)
    if narrative is not None and narrative.narrative:
        yield {"type": "profile", "text": narrative.narrative}
    places = {chat.chat_id: chat for chat in await chats.of_owner(q, owner_id)}
    for chat in places.values():
        async for entry in _chat(q, owner_id, chat):
            yield entry
    zone = await calendar.zone(q)
    async for memory in bulk.exported(q, owner_id):
        yield _memory(memory, places) | {"zone": zone}


async def _chat(q: Queries, owner_id: int, chat: ChatEntry) -> AsyncGenerator[Entry]:
    found = await chats.find(q, owner_id, chat.chat_id)
    if found is not None and found.version:
        yield {"type": "canonical", "chat_id": chat.chat_id, **found.canonical.model_dump(mode="json")}
    for s in await summaries.chunks(q, owner_id, chat.chat_id):
        yield {
            "type": "summary",
            "chat_id": chat.chat_id,
            "thread_key": s.thread_key,
            "from_at": s.from_at.isoformat(),
            "to_at": s.to_at.isoformat(),
            "text": s.text,
        }
    for thread in await threads.in_order(q, owner_id, chat.chat_id):
        async for line in messages.of_thread(q, owner_id, chat.chat_id, thread):
            yield _message(chat, thread, line)


def _message(chat: ChatEntry, thread_key: str, line: Line) -> Entry:
    """A message with all fields that an import reads."""
    return {
        "type": "message",
        **{field.name: getattr(line, field.name) for field in fields(ImportMessage) if hasattr(line, field.name)},
        "chat_id": chat.chat_id,
        "conversation": conversation_of(chat),
        "message_id": external_id(chat.chat_id, line),
        "sent_at": sender_time(line).isoformat(),
        "routine": line.routine,
        **place_of(chat.chat_id, thread_key, line.channel),
    }


def conversation_of(chat: ChatEntry) -> Entry | None:
    """The channel and name of a conversation; None for a Telegram chat. The number of a conversation differs from user
    to user."""
    return {"channel": chat.channel, "name": chat.conversation} if is_conversation(chat.chat_id) else None


def external_id(chat_id: int, message: Line | SourceMessage) -> str:
    return message.ext_id or by_number(chat_id, message.id)


def place_of(chat_id: int, thread_key: str, channel: str) -> Entry:
    """The thread for an import: the topic, or the message to which all messages of a reply thread reply."""
    topic, reply = topic_thread(chat_id, 0)[:-1], reply_thread(chat_id, "", None)
    place: Entry = {"thread_key": thread_key}
    if thread_key.startswith(topic):
        name = thread_key.removeprefix(topic)
        place["message_thread_id"] = int(name) if name.isdecimal() else name
    elif thread_key.startswith(reply):
        place["reply_to_message_id"] = thread_key.removeprefix(reply).removeprefix(f"{channel}/")
    return place


def _memory(exported: Exported, places: Mapping[int, ChatEntry]) -> Entry:
    """A memory with the external ids of its sources, because an import assigns new ids."""
    own = exported.memory.model_dump(mode="json")
    entry: Entry = {"type": "memory", **own, "model": exported.model, "shown": exported.shown}
    entry |= {"user_name": exported.user_name, "categories": exported.categories}
    chat = places.get(exported.source_chat_id) if exported.source_chat_id is not None else None
    if chat is not None:
        entry["source_chat_id"], entry["conversation"] = chat.chat_id, conversation_of(chat)
        named = {
            one.id: {"message_id": external_id(chat.chat_id, one), "channel": one.channel} for one in exported.said
        }
        entry["source_messages"] = list(named.values())
        entry["quotes"] = [{**named[q.message_id], "text": q.text} for q in exported.quotes if q.message_id in named]
    entry["former"] = [{"content": v.text, "replaced_at": v.replaced_at.isoformat()} for v in exported.versions]
    entry["alarm"] = to_jsonable_python(asdict(exported.alarm)) if exported.alarm is not None else None
    return entry
