"""`chatmem export`: everything the memory holds of a person, as JSON lines (to import again) or to read."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, TextIO

from chatmem.contract import Memory
from chatmem.settings import ServerSettings, load
from chatmem_cli.failures import CommandFailed
from chatmem_cli.memory import storage
from chatmem_server.actors import Actors
from chatmem_server.store import chats, memories, messages, summaries
from chatmem_server.store.messages import Line

PAGE = 500
NEWEST = 2**62


def run(file: Path | None, form: str) -> int:
    if form not in ("jsonl", "markdown"):
        raise CommandFailed(f"there is no format {form!r}; use jsonl or markdown.")
    return asyncio.run(_export(load(ServerSettings), file, form))


async def _export(settings: ServerSettings, file: Path | None, form: str) -> int:
    async with storage(settings) as actors:
        if file is None:
            await _write(actors, settings.default_user, sys.stdout, form)
        else:
            with file.open("w", encoding="utf-8") as stream:
                await _write(actors, settings.default_user, stream, form)
    return 0


async def _write(actors: Actors, owner_id: int, stream: TextIO, form: str) -> None:
    async for entry in entries(actors, owner_id):
        stream.write((json.dumps(entry, ensure_ascii=False) if form == "jsonl" else _markdown(entry)) + "\n")


async def entries(actors: Actors, owner_id: int) -> AsyncGenerator[dict[str, Any]]:
    """Memories, then each chat's summaries and messages, oldest first."""
    for memory in await memories.all_of_owner(actors.kit.database, owner_id):
        yield _memory(memory)
    for chat in await chats.of_owner(actors.kit.database, owner_id):
        for s in await summaries.chunks(actors.kit.database, owner_id, chat.chat_id):
            yield {
                "type": "summary",
                "chat_id": chat.chat_id,
                "thread_key": s.thread_key,
                "from_at": s.from_at.isoformat(),
                "to_at": s.to_at.isoformat(),
                "text": s.text,
            }
        async for line in _lines(actors, owner_id, chat.chat_id, chat.last_id):
            yield _message(chat.chat_id, chat.channel, line)


async def _lines(actors: Actors, owner_id: int, chat_id: int, last_id: int) -> AsyncGenerator[Line]:
    for first in range(1, last_id + 1, PAGE):
        ids = range(first, min(first + PAGE, last_id + 1))
        for line in await messages.by_ids(actors.kit.database, owner_id, chat_id, ids):
            yield line


def _message(chat_id: int, channel: str, line: Line) -> dict[str, Any]:
    return {
        "type": "message",
        "chat_id": chat_id,
        "message_id": line.ext_id or f"{chat_id}:{line.id}",
        "role": line.role,
        "content": line.content,
        "speaker": line.speaker,
        "sent_at": line.sent_at.isoformat(),
        "channel": channel,
        "routine": line.routine,
    }


def _memory(memory: Memory) -> dict[str, Any]:
    return {"type": "memory", **memory.model_dump(mode="json")}


def _markdown(entry: dict[str, Any]) -> str:
    match entry["type"]:
        case "memory":
            return f"- {entry['kind']} ({entry['status']}): {entry['content']}"
        case "summary":
            return f"\n> {entry['from_at'][:10]} – {entry['to_at'][:10]}: {entry['text']}"
        case _:
            return f"\n**{entry['speaker'] or entry['role']}** ({entry['sent_at'][:16]}): {entry['content']}"
