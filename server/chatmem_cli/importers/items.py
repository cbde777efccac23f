"""What an importer yields: messages for the bulk path, and memories another assistant kept."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from chatmem.contract import MemoryKind
from chatmem_server.importing import ImportMessage


@dataclass(frozen=True)
class ImportMemory:
    content: str
    kind: MemoryKind | None = None
    said_at: datetime | None = None


Item = ImportMessage | ImportMemory


class ImportFailed(Exception):
    """The file is not what it should be; the text says what to do."""


def lane_number(conversation: str) -> int:
    """A conversation of another assistant becomes a lane of its own: a positive 31-bit number, always the same."""
    return int.from_bytes(hashlib.sha256(conversation.encode()).digest()[:4], "big") >> 1 or 1
