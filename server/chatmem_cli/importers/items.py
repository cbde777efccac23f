"""What an importer yields: messages for the bulk path, memories that were kept elsewhere, and what could not be read."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chatmem.contract import MemoryKind, MemoryOrigin, MemoryStatus, Scope, When
from chatmem_server.importing import ImportMessage


@dataclass(frozen=True)
class ImportMemory:
    """A statement another assistant remembered. `said_at` None: the export does not tell when."""

    content: str
    kind: MemoryKind | None = None
    said_at: datetime | None = None


@dataclass(frozen=True)
class ExportedMemory:
    """A memory as `chatmem export` wrote it, to be put back as it was. Numbers are those of the memory it comes from."""

    number: int
    content: str
    kind: MemoryKind
    status: MemoryStatus
    scope: Scope
    origin: MemoryOrigin
    user_confirmed: bool
    confidence: float
    priority: int
    importance: float
    pinned: bool
    valid_from: datetime
    valid_to: datetime | None = None
    deadline: datetime | None = None
    superseded_by: int | None = None
    source_message_ids: tuple[str, ...] = ()
    about: str = "user"
    note: bool = False
    reason: str | None = None
    when: When | None = None


@dataclass(frozen=True)
class Unreadable:
    """An entry of an export that is not as documented: passed over, counted and told."""

    why: str


Item = ImportMessage | ImportMemory | ExportedMemory | Unreadable


class ImportFailed(Exception):
    """The file is not what it should be; the text says what to do."""


def lane_number(conversation: str) -> int:
    """A conversation of another assistant becomes a lane of its own: a positive 31-bit number, always the same."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4], "big") >> 1 or 1


def tolerant(parse: Callable[[Any], Iterator[Item]], entry: Any) -> Iterator[Item]:
    """The items of one entry. Exports have no vendor's schema: an odd entry must not cost the rest of a history."""
    try:
        yield from parse(entry)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
        yield Unreadable(f"{type(error).__name__}: {error}"[:200])
