"""The items that an importer yields: messages, memories of other programs, unreadable entries, and omitted entries."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tellonce.contract import MAX_BIGINT
from tellonce_server.services.import_memories import ExportedMemory, ImportMemory
from tellonce_server.services.import_messages import ImportMessage


@dataclass(frozen=True)
class Unreadable:
    """An entry that does not have the documented form. It is skipped, counted and reported."""

    why: str


@dataclass(frozen=True)
class LeftOut:
    """An entry that is not imported, because the user does not want it recorded."""

    why: str


Item = ImportMessage | ImportMemory | ExportedMemory | Unreadable | LeftOut


class ImportFailed(Exception):
    """The file is not a valid export; the text says what to do."""


def thread_number(conversation: str) -> int:
    """The thread number for a conversation with another assistant: a positive 31-bit number, the same in every
    import."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4], "big") >> 1 or 1


EARLIEST_YEAR, LATEST_YEAR = 1900, 2200

ODD = (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError, RecursionError, ArithmeticError)
"""The exceptions that reading a malformed entry may raise."""


class NotAsItShouldBe(ValueError):
    """An entry does not have the documented form; the text says how it differs."""


def tolerant(parse: Callable[[Any], Iterator[Item]], entry: Any, name: str) -> Iterator[Item]:
    """The items of the entry called `name`. A malformed entry gives an `Unreadable` and does not stop the import,
    because vendors publish no schema of their exports."""
    try:
        for item in parse(entry):
            fault = unfit(item)
            yield Unreadable(f"{name}: {fault}") if fault else item
    except ODD as error:
        yield Unreadable(f"{name}: {what_is_wrong(error)}"[:200])


def what_is_wrong(error: Exception) -> str:
    """The reason why a record is malformed. It quotes little from the record."""
    match error:
        case NotAsItShouldBe():
            return str(error)
        case KeyError():
            return f"it has no {str(error.args[0])[:40]}"
        case OverflowError() | OSError():
            return "its time is no time"
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return f"{type(error).__name__}: {error}".partition("\n")[0][:120]


def unfit(item: Item) -> str:
    """The reason why an item cannot be stored; empty if it can be stored."""
    times: list[datetime | None] = []
    match item:
        case ImportMessage():
            times = [item.sent_at]
            if isinstance(item.message_thread_id, int) and abs(item.message_thread_id) > MAX_BIGINT:
                return "the number of its thread is beyond 64 bits"
        case ImportMemory():
            times = [item.said_at]
        case ExportedMemory():
            times = [item.valid_from, item.valid_to, item.deadline]
        case Unreadable() | LeftOut():
            pass
    odd = [at.year for at in times if at is not None and not EARLIEST_YEAR <= at.year <= LATEST_YEAR]
    return f"its time is in the year {odd[0]}" if odd else ""
