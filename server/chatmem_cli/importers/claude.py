"""Claude.ai's export: `conversations.json`, and `memories.json` where there is one."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import ijson

from chatmem_cli.importers.files import Progress, opened, shards
from chatmem_cli.importers.items import ImportFailed, ImportMemory, Item, lane_number
from chatmem_server.importing import ImportMessage

CHANNEL = "claude"


def read(path: Path, progress: Progress) -> Iterator[Item]:
    """Messages conversation by conversation, then what Claude itself remembered."""
    for name in shards(path, r"conversations\.json$") or ["conversations.json"]:
        yield from _stream(path, name, progress, _messages)
    for name in shards(path, r"memories\.json$"):
        yield from _stream(path, name, progress, _memories)


def _stream(path: Path, name: str, progress: Progress, make: Any) -> Iterator[Item]:
    with opened(path, name, progress) as stream:
        try:
            for entry in ijson.items(stream, "item"):
                yield from make(entry)
        except ijson.JSONError as error:
            raise ImportFailed(f"{path} is no Claude export: {error}.") from error


def _messages(conversation: dict[str, Any]) -> Iterator[Item]:
    identity = str(conversation.get("uuid"))
    for message in conversation.get("chat_messages") or ():
        text = _text(message)
        if text:
            yield ImportMessage(
                role="user" if message.get("sender") == "human" else "assistant",
                content=text,
                message_id=f"claude:{message['uuid']}",
                sent_at=datetime.fromisoformat(str(message["created_at"]).replace("Z", "+00:00")),
                channel=CHANNEL,
                message_thread_id=lane_number(identity),
            )


def _text(message: dict[str, Any]) -> str:
    """The spoken parts; thinking and tools are not what was said."""
    parts = [
        str(part.get("text", "")) for part in message.get("content") or () if part.get("type") in ("text", "voice_note")
    ]
    text = "\n".join(part for part in parts if part) or str(message.get("text") or "")
    files = [f"[file {a.get('file_name', '')}]" for a in message.get("attachments") or ()]
    return " ".join([text.replace("\x00", "").strip(), *files]).strip()


def _memories(entry: dict[str, Any]) -> Iterator[Item]:
    texts = [str(entry.get("conversations_memory") or "")]
    texts += [str(value) for value in (entry.get("project_memories") or {}).values()]
    for text in texts:
        for line in text.splitlines():
            statement = line.strip(" -•*#\t")
            if len(statement) > 15 and not statement.endswith(":"):
                yield ImportMemory(statement)
