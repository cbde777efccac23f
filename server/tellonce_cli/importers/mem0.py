"""Reads the memories of mem0 and similar programs from JSON: a list of statements, each with the day it was stored."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import ImportFailed, Item, NotAsItShouldBe
from tellonce_cli.importers.records import JsonExport
from tellonce_server.services.import_memories import ImportMemory

NOTHING = "holds no memories; each needs a text as `memory`, `content` or `text`."
_PLACES = ("item", "results.item", "memories.item", "data.item", "memory.item")
_EXPORT = JsonExport("mem0 export", r"(?:.*memories|.*mem0.*)\.json", "memories.json", is_record=_PLACES.__contains__)
_TEXTS = ("memory", "content", "text", "data")
_NAMED = 20
"""An error message names at most this many persons."""
_TIMES = ("updated_at", "created_at", "timestamp", "date")
_MILLISECONDS = 10**11
"""A time of at least this value is in milliseconds, not in seconds."""


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """Yield the statements of the person `source.me`, and those that name no person. Raises ImportFailed."""
    persons = Counter[str]()
    yield from _EXPORT.items(source, progress, partial(_memory, me=source.me, persons=persons))
    _check(source.path, source.me, persons)


def _check(path: Path, me: str | None, persons: Counter[str]) -> None:
    """`persons` counts the statements of each person."""
    held = ", ".join(f"{name} ({count})" for name, count in persons.most_common(_NAMED))
    held += f" and {len(persons) - _NAMED} more" if len(persons) > _NAMED else ""
    if me is None and len(persons) > 1:
        raise ImportFailed(
            f"{path} holds the memories of {len(persons)} persons: {held}. `tellonce import FILE --me NAME` imports those "
            "of one of them."
        )
    if me is not None and persons and me not in persons:
        raise ImportFailed(f"{path} holds no memories of {me}, but of {held}; name one of them with --me.")


def _memory(entry: dict[str, Any], me: str | None, persons: Counter[str]) -> Iterator[ImportMemory]:
    person = entry.get("user_id")
    if isinstance(person, str | int):
        persons[str(person)] += 1
        if me not in (None, str(person)):
            return
    text = next((entry[name] for name in _TEXTS if isinstance(entry.get(name), str)), None)
    if text is None:
        raise NotAsItShouldBe("it has no text")
    yield ImportMemory(text, said_at=next((_moment(entry[name]) for name in _TIMES if entry.get(name)), None))


def _moment(value: Any) -> datetime:
    """The value is ISO 8601, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        at = datetime.fromisoformat(value)
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    seconds = float(value)
    return datetime.fromtimestamp(seconds / 1000 if seconds >= _MILLISECONDS else seconds, UTC)
