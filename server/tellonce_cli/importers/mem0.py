"""Reads the memories of mem0 and similar programs from JSON: a list of statements, each with the day it was stored."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ijson

from tellonce_cli.importers.files import Progress, not_readable, opened, shards
from tellonce_cli.importers.items import ImportFailed, Item, NotAsItShouldBe
from tellonce_cli.importers.records import Record, read_record, records
from tellonce_server.services.import_memories import ImportMemory

_PLACES = ("item", "results.item", "memories.item", "data.item", "memory.item")
_TEXTS = ("memory", "content", "text", "data")
_TIMES = ("updated_at", "created_at", "timestamp", "date")
_MILLISECONDS = 10**11
"""A time of at least this value is in milliseconds, not in seconds."""


def read(path: Path, progress: Progress) -> Iterator[Item]:
    """Yield the statements in the order of the file. Raises ImportFailed."""
    found = False
    for name in shards(path, r"(?:memories|mem0[^/]*)\.json$") or ["memories.json"]:
        with opened(path, name, progress) as stream:
            try:
                for record in records(stream, _PLACES.__contains__):
                    if isinstance(record, Record):
                        for item in read_record(_memory, record):
                            found = found or isinstance(item, ImportMemory)
                            yield item
            except ijson.JSONError as error:
                raise not_readable(path, "mem0 export", error, found) from error
    if not found:
        raise ImportFailed(f"{path} holds no memories; each needs a text as `memory`, `content` or `text`.")


def _memory(entry: dict[str, Any]) -> Iterator[ImportMemory]:
    text = next((entry[name] for name in _TEXTS if isinstance(entry.get(name), str)), None)
    if text is None:
        raise NotAsItShouldBe("it has no text")
    yield ImportMemory(text, said_at=next((_moment(entry[name]) for name in _TIMES if entry.get(name)), None))


def _moment(value: Any) -> datetime:
    """Parse a time: ISO 8601, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        at = datetime.fromisoformat(value)
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    seconds = float(value)
    return datetime.fromtimestamp(seconds / 1000 if seconds >= _MILLISECONDS else seconds, UTC)
