"""Reads exports of other programs as a stream of messages and memories."""

from collections.abc import Iterator
from pathlib import Path

from tellonce_cli.import_kinds import ImportKind
from tellonce_cli.importers import chatgpt, claude, claude_code, jsonl, markdown, mcp_memory, mem0, telegram
from tellonce_cli.importers.files import Progress
from tellonce_cli.importers.files import size as estimate_size
from tellonce_cli.importers.items import ImportFailed, Item, LeftOut, Unreadable
from tellonce_cli.importers.recognition import KINDS, recognized
from tellonce_cli.importers.telegram import People
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory

__all__ = [
    "KINDS",
    "ExportedMemory",
    "ImportFailed",
    "ImportMemory",
    "Item",
    "LeftOut",
    "Unreadable",
    "estimate_size",
    "read",
    "recognized",
]


def read(
    kind: ImportKind,
    path: Path,
    *,
    me: str | None,
    progress: Progress,
    assistant: str | None = None,
    chat_id: int | None = None,
) -> Iterator[Item]:
    """Yield the items of an export in the order of the file. `chat_id` is the target chat. Raises ImportFailed."""
    match kind:
        case "telegram":
            return telegram.read(path, People(me, assistant), progress)
        case "chatgpt":
            return chatgpt.read(path, progress)
        case "claude":
            return claude.read(path, progress)
        case "claude-code":
            return claude_code.read(path, progress)
        case "mcp-memory":
            return mcp_memory.read(path, progress)
        case "mem0":
            return mem0.read(path, progress)
        case "markdown":
            return markdown.read(path, progress)
        case "jsonl":
            return jsonl.read(path, chat_id, progress)
