"""`tellonce export`: writes everything the memory holds about a person, as JSON Lines for another import or as
Markdown."""

import asyncio
import json
import os
import stat
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from tellonce import plural
from tellonce.contract import Memory
from tellonce.settings import ServerSettings, load
from tellonce_cli.memory import storage
from tellonce_cli.screen import CommandFailed, console
from tellonce_server.core.scope import is_conversation, reply_thread, topic_thread
from tellonce_server.domain.queue.work_inputs import sender_time
from tellonce_server.services.services import Services
from tellonce_server.store import chats, memories, messages, profile, summaries, threads
from tellonce_server.store.bulk import by_number
from tellonce_server.store.chats import ChatEntry
from tellonce_server.store.database import Database
from tellonce_server.store.messages import Line

Entry = dict[str, Any]


def run(file: Path | None, form: str) -> int:
    wrote = asyncio.run(_export(load(ServerSettings), file, _FORMS[form]))
    if not _is_stdout(file):
        told = f"{plural.messages(wrote['message'])} and {plural.memories(wrote['memory'])}"
        console.print(f"{told} are in {file}. It holds everything you said: keep it safe.")
    return 0


def _is_stdout(file: Path | None) -> bool:
    return file is None or str(file) == "-"


def _target(file: Path | None) -> AbstractContextManager[TextIO]:
    if file is None or _is_stdout(file):
        return nullcontext(sys.stdout)
    try:
        return open(file, "w", encoding="utf-8", opener=_private)
    except OSError as error:
        raise CommandFailed(f"{file} cannot be written: {error.strerror}; name a file you may write.") from error


def _private(path: str, flags: int) -> int:
    """Open the file so that only its owner can read it, even if it existed before: it holds the memory."""
    descriptor = os.open(path, flags, 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.chmod(path, 0o600)
    return descriptor


async def _export(settings: ServerSettings, file: Path | None, form: Callable[[Entry], str]) -> Counter[str]:
    """Export, and return the number of entries of each type. A memory that cannot be opened leaves an older file
    untouched."""
    wrote: Counter[str] = Counter()
    async with storage(settings) as services:
        with _target(file) as stream:
            async for entry in entries(services, settings.default_user):
                stream.write(form(entry) + "\n")
                wrote[entry["type"]] += 1
    return wrote


async def entries(services: Services, owner_id: int) -> AsyncGenerator[Entry]:
    """Yield the profile; then each chat's summaries and messages, by thread, oldest first; then the memories."""
    database = services.deps.database
    narrative = await profile.find(database, owner_id)
    if narrative is not None and narrative.narrative:
        yield {"type": "profile", "text": narrative.narrative}
    for chat in await chats.of_owner(database, owner_id):
        async for entry in _chat(database, owner_id, chat):
            yield entry
    for memory in await memories.all_of_owner(database, owner_id):
        yield await _memory(database, owner_id, memory)


async def _chat(database: Database, owner_id: int, chat: ChatEntry) -> AsyncGenerator[Entry]:
    found = await chats.find(database, owner_id, chat.chat_id)
    if found is not None and found.version:
        yield {"type": "canonical", "chat_id": chat.chat_id, **found.canonical.model_dump(mode="json")}
    for s in await summaries.chunks(database, owner_id, chat.chat_id):
        yield {
            "type": "summary",
            "chat_id": chat.chat_id,
            "thread_key": s.thread_key,
            "from_at": s.from_at.isoformat(),
            "to_at": s.to_at.isoformat(),
            "text": s.text,
        }
    for thread in await _threads(database, owner_id, chat.chat_id):
        async for line in messages.of_thread(database, owner_id, chat.chat_id, thread):
            yield _message(chat, thread, line)


async def _threads(database: Database, owner_id: int, chat_id: int) -> list[str]:
    """The chat's threads by their first message. An import into an empty memory keeps this order, so a second export
    is the same."""
    firsts: list[tuple[int, str]] = []
    for thread in await threads.of_chat(database, owner_id, chat_id):
        first = await messages.id_range(database, owner_id, chat_id, thread.thread_key, 1, messages.NEWEST, 1)
        firsts += [(line.id, thread.thread_key) for line in first]
    return [key for _, key in sorted(firsts)]


def _message(chat: ChatEntry, thread_key: str, line: Line) -> Entry:
    return {
        "type": "message",
        "chat_id": chat.chat_id,
        "conversation": conversation_of(chat),
        "message_id": external_id(chat.chat_id, line),
        "role": line.role,
        "content": line.content,
        "speaker": line.speaker,
        "sent_at": sender_time(line).isoformat(),
        "channel": line.channel,
        "routine": line.routine,
        **place_of(chat.chat_id, thread_key, line.channel),
    }


def conversation_of(chat: ChatEntry) -> Entry | None:
    """The conversation of a chat, or None for a Telegram chat. Its chat number differs from user to user."""
    return {"channel": chat.channel, "name": chat.conversation} if is_conversation(chat.chat_id) else None


def external_id(chat_id: int, line: Line) -> str:
    return line.ext_id or by_number(chat_id, line.id)


def place_of(chat_id: int, thread_key: str, channel: str) -> Entry:
    """The fields that identify the thread in an import: its topic, or the message that starts it, to which all its
    messages can reply."""
    topic, reply = topic_thread(chat_id, 0)[:-1], reply_thread(chat_id, "", None)
    place: Entry = {"thread_key": thread_key}
    if thread_key.startswith(topic):
        name = thread_key.removeprefix(topic)
        place["message_thread_id"] = int(name) if name.isdecimal() else name
    elif thread_key.startswith(reply):
        place["reply_to_message_id"] = thread_key.removeprefix(reply).removeprefix(f"{channel}/")
    return place


async def _memory(database: Database, owner_id: int, memory: Memory) -> Entry:
    """A memory as an entry. Sources are given by external id too, because an import numbers messages differently. A
    global memory belongs to no chat, so its sources stay numbers."""
    entry: Entry = {"type": "memory", **memory.model_dump(mode="json")}
    if memory.chat_id is not None and memory.sources:
        lines = await messages.by_ids(database, owner_id, memory.chat_id, memory.sources)
        entry["source_message_ids"] = [external_id(memory.chat_id, line) for line in lines]
    return entry


def _json(entry: Entry) -> str:
    return json.dumps(entry, ensure_ascii=False)


def _markdown(entry: Entry) -> str:
    match entry["type"]:
        case "profile":
            return f"# Profile\n\n{entry['text']}\n"
        case "canonical":
            parts = ("user_confirmed", "llm_inferred", "general_summary")
            return f"# Chat {entry['chat_id']}\n\n" + "\n\n".join(entry[part] for part in parts if entry[part])
        case "memory":
            return f"- {entry['kind']} ({entry['status']}): {entry['content']}"
        case "summary":
            return f"\n> {entry['from_at'][:10]} – {entry['to_at'][:10]}: {entry['text']}"
        case _:
            return f"\n**{entry['speaker'] or entry['role']}** ({entry['sent_at'][:16]}): {entry['content']}"


_FORMS: dict[str, Callable[[Entry], str]] = {"jsonl": _json, "markdown": _markdown}
