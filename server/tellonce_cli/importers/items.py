"""The items that importers yield, and their preparation for storage."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from tellonce.contract import MAX_BIGINT, MAX_TEXT_BYTES, Role
from tellonce.import_formats import CHANNELS, ImportKind
from tellonce.plural import messages, quantity
from tellonce_cli.screen import CommandFailed
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage, OwnConversation, clean

NodeT = TypeVar("NodeT")


@dataclass(frozen=True)
class Unreadable:
    """An entry that does not have the documented form. An unreadable entry is skipped, counted and reported."""

    why: str


@dataclass(frozen=True)
class LeftOut:
    """A message or file that is not imported. `origin` is the name and number of its group, or its Claude Code
    project."""

    origin: str


@dataclass(frozen=True)
class KnownAs:
    """A name of the user in the file. Each name is yielded once."""

    name: str


def left_out(kind: ImportKind, counts: Mapping[str, int]) -> list[str]:
    """A line for each group or project, with the number of its messages or files that are not imported."""
    if kind == "claude-code":
        refused = "in which the plugin may not record"
        return [f"left out: {quantity(count, 'file')} of {project}, {refused}" for project, count in counts.items()]
    hint = "--chat with this number imports them, if TELEGRAM_GROUPS contains it"
    return [f"left out: {messages(count)} of the group {group}; {hint}" for group, count in counts.items()]


Item = ImportMessage | ImportMemory | ExportedMemory | Unreadable | LeftOut | KnownAs


USER = "user"
"""The subject of a memory about the user."""

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)


def without_private(text: str) -> str:
    """The text without the parts that the user marked with `<private>…</private>`."""
    return _PRIVATE.sub("", text).strip()


def memory_about(subject: str, text: str, said_at: datetime | None) -> ImportMemory:
    """A memory about a subject. A text that does not name its subject begins with the subject's name."""
    named = subject == USER or subject.casefold() in text.casefold()
    return ImportMemory(text if named else f"{subject}: {text}", said_at=said_at, about=subject)


def message_in(
    kind: ImportKind, thread: str, role: Role, text: str, message_id: str, sent_at: datetime
) -> ImportMessage:
    """A message of a program whose messages all have one conversation, with a thread for each talk or note."""
    return ImportMessage(
        role=role,
        content=text,
        message_id=message_id,
        sent_at=sent_at,
        channel=CHANNELS[kind],
        message_thread_id=thread_number(thread),
        conversation=OwnConversation(CHANNELS[kind]),
    )


class ImportFailed(CommandFailed):
    """The file is not a valid export. The text says what to do."""


def thread_number(conversation: str) -> int:
    """The thread of a conversation with another assistant: 31 bits, the same in every import."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4], "big") >> 1 or 1


def branch(leaf: NodeT | None, parent: Callable[[NodeT], NodeT | None]) -> list[NodeT]:
    """The nodes of a conversation's tree from the root to `leaf`."""
    path: dict[int, NodeT] = {}
    while leaf is not None and id(leaf) not in path:
        path[id(leaf)] = leaf
        leaf = parent(leaf)
    return list(path.values())[::-1]


EARLIEST_YEAR, LATEST_YEAR = 1900, 2200

ODD = (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError, RecursionError, ArithmeticError)
"""The exceptions that reading a malformed entry may raise."""


class NotAsItShouldBe(ValueError):
    """An entry does not have the documented form. The exception text says how the entry differs."""


def tolerant(parse: Callable[[Any], Iterator[Item]], entry: Any, name: str) -> Iterator[Item]:
    """The items of the entry `name`. A malformed entry becomes `Unreadable`: vendors publish no schema."""
    try:
        for item in parse(entry):
            fault = unfit(item)
            yield Unreadable(f"{name}: {fault}") if fault else item
    except ODD as error:
        yield Unreadable(f"{name}: {what_is_wrong(error)}"[:200])


def what_is_wrong(error: Exception) -> str:
    """The reason why a record is malformed. The text repeats only a short part of the record."""
    match error:
        case NotAsItShouldBe():
            return str(error)
        case KeyError():
            return f"it has no {str(error.args[0])[:40]}"
        case OverflowError() | OSError():
            return "its time is not valid"
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return f"it has a value of an unexpected form: {error}".partition("\n")[0][:120]


def unfit(item: Item) -> str:
    """The reason why an item cannot be stored. Empty if it can be stored."""
    times: list[datetime | None] = []
    match item:
        case ImportMessage():
            times = [item.sent_at]
            if isinstance(item.message_thread_id, int) and abs(item.message_thread_id) > MAX_BIGINT:
                return "the number of its thread does not fit in 64 bits"
        case ImportMemory():
            times = [item.said_at]
        case ExportedMemory():
            times = [item.valid_from, item.valid_to, item.deadline, item.alarm.due_at if item.alarm else None]
        case Unreadable() | LeftOut() | KnownAs():
            pass
    odd = [at.year for at in times if at is not None and not EARLIEST_YEAR <= at.year <= LATEST_YEAR]
    return f"its time is in the year {odd[0]}" if odd else ""


LONGEST_ID = 128
"""Maximum number of characters of an external id, as in the contract."""

_PIECE = MAX_TEXT_BYTES - 4
"""Maximum bytes of a piece. This is the contract's limit minus the length of the longest character."""


def fitted(message: ImportMessage, zone: ZoneInfo) -> Iterator[ImportMessage]:
    """Yield the message in pieces of at most 64 KiB. Nothing if it is blank. A time in UTC is converted to the user's
    zone, so that `tomorrow` is the user's next day."""
    text = clean(message.content)
    if not text.strip():
        return
    at = message.sent_at if message.sent_at.utcoffset() else message.sent_at.astimezone(zone)
    first = replace(
        message,
        message_id=_short(message.message_id),
        reply_to_message_id=_short(message.reply_to_message_id) if message.reply_to_message_id else None,
        speaker=clean(message.speaker)[:LONGEST_ID] if message.speaker else None,
        sent_at=at,
    )
    for number, piece in enumerate(pieces(text)):
        part = _short(f"{first.message_id}#{number + 1}") if number else first.message_id
        yield replace(first, content=piece, message_id=part)


def pieces(text: str) -> Iterator[str]:
    """Cut the text into pieces of at most 64 KiB. Joined together, the pieces give the original text."""
    data = text.encode()
    start = 0
    while start < len(data):
        end = min(start + _PIECE, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[start:end].decode()
        start = end


def _short(identity: str) -> str:
    """The hash is the same in every import."""
    identity = clean(identity)
    return identity if len(identity) <= LONGEST_ID else f"sha256:{hashlib.sha256(identity.encode()).hexdigest()}"
