"""JSON lines, a message or a memory each, as `chatmem export` writes them; by hand, role, content and sent_at suffice."""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from chatmem.contract import When
from chatmem_cli.importers.files import Progress
from chatmem_cli.importers.items import ExportedMemory, ImportFailed, ImportMemory, Item, lane_number
from chatmem_server.importing import ImportMessage


def read(path: Path, chat_id: int | None, progress: Progress) -> Iterator[Item]:
    """Lines of other types (summaries, profile) are passed over: they are derived anew. `chat_id`: where it goes."""
    done = 0
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                done += len(line)
                progress(done)
                if line.strip():
                    yield from _item(line, number, chat_id)
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}.") from error


def _item(line: bytes, number: int, chat_id: int | None) -> Iterator[Item]:
    try:
        entry = _entry(line)
        kind = entry.get("type", "message")
        if kind == "memory":
            yield _memory(entry)
        elif kind == "message":
            yield _message(entry, line, chat_id)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImportFailed(
            f"line {number} is no message ({_lack(error)}); one needs role (user, assistant), content and sent_at (ISO 8601). "
            "The lines before it are in."
        ) from error


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(entry, dict):
        raise TypeError("it is no JSON object")
    return entry


def _lack(error: Exception) -> str:
    return f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error)


def _message(entry: dict[str, Any], line: bytes, chat_id: int | None) -> ImportMessage:
    if entry["role"] not in ("user", "assistant"):
        raise ValueError(f"role {entry['role']!r}")
    if not isinstance(entry["content"], str):
        raise TypeError("its content is no text")
    at = datetime.fromisoformat(str(entry["sent_at"]))
    group = _other_group(entry, chat_id)
    reply, topic, speaker = (entry.get(name) for name in ("reply_to_message_id", "message_thread_id", "speaker"))
    if topic is not None and not isinstance(topic, int):
        raise TypeError("its message_thread_id is no number")
    return ImportMessage(
        role=entry["role"],
        content=entry["content"],
        message_id=group + str(entry.get("message_id") or f"jsonl:{hashlib.sha256(line.strip()).hexdigest()[:24]}"),
        sent_at=at if at.tzinfo else at.astimezone(),
        channel=str(entry.get("channel") or "jsonl"),
        speaker=None if speaker is None else str(speaker),
        message_thread_id=lane_number(f"{group}{entry.get('thread_key')}") if group else topic,
        reply_to_message_id=None if reply is None else f"{group}{reply}",
    )


def _other_group(entry: dict[str, Any], chat_id: int | None) -> str:
    """A prefix for what was said in a group and now goes elsewhere: two chats may have used one message id."""
    source = entry.get("chat_id")
    return f"{source}:" if source is not None and int(source) < 0 and source != chat_id else ""


def _memory(entry: dict[str, Any]) -> ExportedMemory | ImportMemory:
    """What this program exported is put back as it was; a line by hand is a statement like another assistant's."""
    if "valid_from" not in entry:
        said_at = entry.get("said_at")
        return ImportMemory(entry["content"], entry.get("kind"), datetime.fromisoformat(said_at) if said_at else None)
    return ExportedMemory(
        number=int(entry["id"]),
        **{name: entry[name] for name in _AS_IT_IS},
        valid_from=datetime.fromisoformat(entry["valid_from"]),
        valid_to=_time(entry.get("valid_to")),
        deadline=_time(entry.get("deadline")),
        superseded_by=entry.get("superseded_by"),
        about=entry.get("about") or "user",
        note=bool(entry.get("note")),
        reason=entry.get("reason"),
        when=When.model_validate(entry["when"]) if entry.get("when") else None,
        source_message_ids=tuple(entry.get("source_message_ids") or ()),
    )


_AS_IT_IS = (
    *("content", "kind", "status", "scope", "origin", "user_confirmed"),
    *("confidence", "priority", "importance", "pinned"),
)


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
