"""Recognizes the kind of an export by trying to read it, and reads it as that kind."""

import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, get_args

from tellonce.import_formats import ImportKind
from tellonce_cli.importers import chatgpt, claude, claude_code, jsonl, markdown, mcp_memory, mem0, telegram
from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import ImportFailed, Item, Unreadable, without_private
from tellonce_server.services.import_memories import ImportMemory
from tellonce_server.services.import_messages import ImportMessage

KINDS: Final[tuple[ImportKind, ...]] = get_args(ImportKind)
Read = Callable[[Source, Progress], Iterator[Item]]


_FORMATS: Mapping[ImportKind, tuple[Read, str]] = {
    "telegram": (telegram.read, telegram.NOTHING),
    "chatgpt": (chatgpt.read, chatgpt.NOTHING),
    "claude": (claude.read, claude.NOTHING),
    "claude-code": (claude_code.read, claude_code.NOTHING),
    "mcp-memory": (mcp_memory.read, mcp_memory.NOTHING),
    "mem0": (mem0.read, mem0.NOTHING),
    "markdown": (markdown.read, markdown.NOTHING),
    "jsonl": (jsonl.read, jsonl.NOTHING),
}
"""For each kind, the function that reads a file of this kind, and the error message for a file that is not of this
kind."""


def _items(kind: ImportKind, source: Source, progress: Progress) -> Iterator[Item]:
    """The items without `<private>` parts. Our own export is not changed. Raises ImportFailed."""
    read, nothing = _FORMATS[kind]
    readable, first = False, ""
    for item in read(source, progress):
        readable = readable or not isinstance(item, Unreadable)
        first = first or (item.why if isinstance(item, Unreadable) else "")
        if kind != "jsonl" and isinstance(item, ImportMessage | ImportMemory):
            said = without_private(item.content)
            # An item with only private parts becomes blank, and blank items are not stored.
            item = item if said == item.content.strip() else replace(item, content=said)
        yield item
    if not readable:
        raise ImportFailed(f"{source.path} {nothing}" + (f" ({first})" if first else ""))


READERS: Final[Mapping[ImportKind, Read]] = {kind: partial(_items, kind) for kind in KINDS}

_HEAD = 1 << 16
_MARKS: tuple[tuple[bytes, ImportKind], ...] = (
    (b'"entityType"', "mcp-memory"),
    (b'"relationType"', "mcp-memory"),
    (b'"sessionId"', "claude-code"),
    (b'"mapping"', "chatgpt"),
    (b'"chat_messages"', "claude"),
    (b'"conversations_memory"', "claude"),
    (b'"date_unixtime"', "telegram"),
    (b'"sent_at"', "jsonl"),
    (b'"memory"', "mem0"),
)
"""Names near the beginning of a file, each with the kind to try first. A name does not prove the kind, because a text
may contain it by chance."""


def recognized(source: Source) -> ImportKind:
    """Return the kind of import that a file, zip or folder contains. Raises ImportFailed."""
    path = source.path
    if path.is_file() and not path.stat().st_size:
        raise ImportFailed(f"{path} is empty; export or download it again.")
    if path.suffix == ".zip" and not zipfile.is_zipfile(path):
        raise ImportFailed(f"{path} is not a complete zip; download it again.")
    for kind in _candidates(path):
        try:
            first = next(READERS[kind](source, lambda _: None), None)
        except (ImportFailed, ValueError, KeyError, TypeError, OSError):
            continue
        if first is not None and not isinstance(first, Unreadable):
            return kind
    raise ImportFailed(
        f"{path} is not an export we can read; {', '.join(KINDS)} are known. If it is one of these, name it: "
        "`tellonce import FILE --kind KIND`."
    )


def _candidates(path: Path) -> list[ImportKind]:
    if path.is_dir():
        return ["claude-code"] if claude_code.holds(path) else ["telegram", "chatgpt", "claude", "mem0", "markdown"]
    if zipfile.is_zipfile(path):
        return ["telegram", "chatgpt", "claude", "mem0", "markdown"]
    if path.suffix == ".md":
        return ["claude-code"] if path.name in (claude_code.INSTRUCTIONS, claude_code.INDEX) else ["markdown"]
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    likely: list[ImportKind] = [kind for mark, kind in _MARKS if mark in head]
    # Any text can be read as Markdown, so Markdown is used only if the user names it.
    others: list[ImportKind] = [kind for kind in KINDS if kind not in ("markdown", "claude-code")]
    return list(dict.fromkeys([*likely, *others]))
