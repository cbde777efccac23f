"""Reads JSON Lines, as `tellonce export` writes them. A message needs only role, content and sent_at."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import (
    LONGEST_ID,
    ImportFailed,
    Item,
    NotAsItShouldBe,
    Unreadable,
    thread_number,
    tolerant,
)
from tellonce_relay import cron
from tellonce_server.core.scope import DEFAULT_CHANNEL
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage, OwnConversation, clean
from tellonce_text.dates.intervals import UNTIL

MemoryT = TypeVar("MemoryT")
_BY_HAND, _EXPORTED, _MESSAGE = TypeAdapter(ImportMemory), TypeAdapter(ExportedMemory), TypeAdapter(ImportMessage)

NOTHING = "holds no messages; a message needs role (user, assistant), content and sent_at (ISO 8601)."
LONGEST_LINE = 8 * 1024 * 1024
"""Maximum bytes of one line."""


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """Yield the items for the chat `source.chat_id`. Summaries are left out, because they are made again."""
    return parsed_lines(source.path, progress, lambda line: _item(line, source.chat_id))


def parsed_lines(
    path: Path, progress: Progress, parse: Callable[[bytes], Iterator[Item]], place: str = ""
) -> Iterator[Item]:
    """Yield the items of each line that is not blank. The report of an unreadable line begins with `place` and the
    number of the line."""
    for number, line in lines_of(path, progress):
        if len(line) > LONGEST_LINE:
            yield Unreadable(f"{place}line {number}: it is longer than {LONGEST_LINE >> 20} MiB")
        elif line.strip():
            yield from tolerant(parse, line, f"{place}line {number}")


def lines_of(path: Path, progress: Progress) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers, starting at 1. A line that is too long is cut."""
    number = done = 0
    try:
        with path.open("rb") as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                number, done, rest = number + 1, done + len(line), line
                while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = stream.readline(LONGEST_LINE + 1)
                    done += len(rest)
                progress(done)
                yield number, line
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}.") from error


def _item(line: bytes, chat_id: int | None) -> Iterator[Item]:
    entry = entry_of(line)
    kind = entry.get("type", "message")
    if kind == "memory":
        yield _memory(entry, chat_id)
    elif kind == "message":
        yield _message(entry, line, chat_id)


def entry_of(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises NotAsItShouldBe."""
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise NotAsItShouldBe("it is not JSON") from error
    if not isinstance(entry, dict):
        raise NotAsItShouldBe("it is not a JSON object")
    return {name: _cleaned(value) for name, value in entry.items()}


def _cleaned(value: Any) -> Any:
    """PostgreSQL cannot store all characters."""
    match value:
        case str():
            return clean(value)
        case list():
            return [_cleaned(part) for part in value]
        case dict():
            return {clean(name): _cleaned(part) for name, part in value.items()}
        case _:
            return value


def _message(entry: dict[str, Any], line: bytes, chat_id: int | None) -> ImportMessage:
    role, content, at = entry["role"], entry["content"], datetime.fromisoformat(str(entry["sent_at"]))
    group = _other_group(entry.get("chat_id"), chat_id)
    reply, topic, speaker = (entry.get(name) for name in ("reply_to_message_id", "message_thread_id", "speaker"))
    if topic is not None and not (isinstance(topic, int) or (isinstance(topic, str) and len(topic) <= LONGEST_ID)):
        raise NotAsItShouldBe(
            f"its message_thread_id is neither a number nor a name of at most {LONGEST_ID} characters"
        )
    channel = _channel(entry)
    own: dict[str, Any] = {
        "role": role,
        "content": content,
        "message_id": group + str(entry.get("message_id") or f"jsonl:{hashlib.sha256(line.strip()).hexdigest()[:24]}"),
        "sent_at": at if at.tzinfo else at.astimezone(),
        "channel": channel,
        "speaker": None if speaker is None else str(speaker),
        "message_thread_id": thread_number(f"{group}{entry.get('thread_key')}") if group else topic,
        "reply_to_message_id": None if reply is None else f"{group}{reply}",
        "conversation": _conversation(entry, channel),
    }
    return _checked(_MESSAGE, _same(ImportMessage, entry) | own)


def _conversation(entry: dict[str, Any], channel: str) -> OwnConversation | None:
    """None for Telegram. Older exports name only the channel."""
    if "conversation" not in entry:
        return None if channel == DEFAULT_CHANNEL else OwnConversation(channel)
    of = entry["conversation"]
    if not of:
        return None
    name = of.get("name")
    if name is not None and not (isinstance(name, str) and len(name) <= LONGEST_ID):
        raise NotAsItShouldBe(f"its conversation has no name of at most {LONGEST_ID} characters")
    return OwnConversation(_channel(of), name)


def _channel(entry: dict[str, Any]) -> str:
    channel = str(entry.get("channel") or "")
    return channel if re.fullmatch(r"[a-z0-9_-]{1,32}", channel) else "jsonl"


def _other_group(source: Any, chat_id: int | None) -> str:
    """Keeps the ids unique if a group is imported into another chat."""
    return f"{source}:" if source is not None and int(source) < 0 and source != chat_id else ""


def _memory(entry: dict[str, Any], chat_id: int | None) -> ExportedMemory | ImportMemory:
    """An exported memory is restored unchanged. A memory that a person wrote into the file is imported like a memory of
    another assistant."""
    if "valid_from" not in entry:
        said_at = entry.get("said_at")
        return _checked(_BY_HAND, {"content": entry["content"], "kind": entry.get("kind"), "said_at": said_at or None})
    # Older exports contain the ids of the messages without the channels.
    older = [{"message_id": i, "channel": DEFAULT_CHANNEL} for i in entry.get("source_message_ids") or ()]
    memory = _checked(
        _EXPORTED,
        {
            **_same(ExportedMemory, entry),
            "number": int(entry["id"]),
            "source_messages": _in_group(entry.get("source_messages", older), entry, chat_id),
            "quotes": _in_group(entry.get("quotes") or (), entry, chat_id),
            "conversation": _conversation(entry, DEFAULT_CHANNEL),
        },
    )
    if memory.alarm is not None and memory.alarm.repeats is not None:
        _check_repetition(memory.alarm.repeats)
    return memory


def _check_repetition(expression: str) -> None:
    """Raises ValueError for an invalid expression, and for one that the bot would not set."""
    last = expression.partition(UNTIL)[2]
    if last and datetime.fromisoformat(last).year >= 2200:
        raise NotAsItShouldBe("its reminder ends in a year nobody lives in")
    if cron.is_too_frequent(expression):
        raise NotAsItShouldBe("its reminder repeats more often than every five minutes")


def _in_group(named: Iterable[dict[str, str]], entry: dict[str, Any], chat_id: int | None) -> list[dict[str, str]]:
    group = _other_group(entry.get("source_chat_id", entry.get("chat_id")), chat_id)
    return [{**one, "message_id": f"{group}{one['message_id']}"} for one in named]


def _same(kind: type[ExportedMemory] | type[ImportMessage], entry: dict[str, Any]) -> dict[str, Any]:
    return {field.name: entry[field.name] for field in fields(kind) if entry.get(field.name) not in (None, "")}


def _checked(kind: TypeAdapter[MemoryT], values: dict[str, Any]) -> MemoryT:
    try:
        return kind.validate_python(values)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, found["loc"]))
        raise NotAsItShouldBe(f"its {place} is invalid: {found['msg']}") from error
