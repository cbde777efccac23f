"""JSON lines, a message or a memory each, as `chatmem export` writes them."""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from chatmem_cli.importers.files import Progress
from chatmem_cli.importers.items import ImportFailed, ImportMemory, Item
from chatmem_server.importing import ImportMessage


def read(path: Path, progress: Progress) -> Iterator[Item]:
    """Lines of other types (summaries) are passed over: they are derived anew."""
    done = 0
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            done += len(line)
            progress(done)
            if line.strip():
                yield from _item(line, number)


def _item(line: bytes, number: int) -> Iterator[Item]:
    try:
        entry: dict[str, Any] = json.loads(line)
        kind = entry.get("type", "message")
        if kind == "memory":
            if entry.get("status", "active") == "active":
                yield ImportMemory(entry["content"], entry.get("kind"))
        elif kind == "message":
            yield _message(entry, line)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImportFailed(
            f"line {number} is no message ({error!r}); one needs role (user, assistant), content and sent_at (ISO 8601)."
        ) from error


def _message(entry: dict[str, Any], line: bytes) -> ImportMessage:
    if entry["role"] not in ("user", "assistant"):
        raise ValueError(f"role {entry['role']!r}")
    at = datetime.fromisoformat(str(entry["sent_at"]).replace("Z", "+00:00"))
    return ImportMessage(
        role=entry["role"],
        content=str(entry["content"]).replace("\x00", ""),
        message_id=str(entry.get("message_id") or f"jsonl:{hashlib.sha256(line.strip()).hexdigest()[:24]}"),
        sent_at=at if at.tzinfo else at.astimezone(),
        channel=str(entry.get("channel") or "jsonl"),
        speaker=entry.get("speaker"),
        message_thread_id=entry.get("message_thread_id"),
        reply_to_message_id=entry.get("reply_to_message_id"),
    )
