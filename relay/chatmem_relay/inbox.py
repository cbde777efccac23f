"""Updates taken from Telegram and not yet dealt with, one file each: what a kill interrupts is taken up again.

Telegram forgets an update once it is acknowledged, so it is kept here, with how far its answer got, until its turn is
over. A kill of the process loses nothing that was written; a machine that loses power may lose the newest entries:
those messages are recorded, their answers may be owed for ever.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from chatmem import tracing
from chatmem_relay.chat_surface import Delivery
from chatmem_relay.notebook import write
from chatmem_relay.turn import Thought

logger = logging.getLogger(__name__)


@dataclass
class Entry:
    """`recorded`: the memory surely has the message. `thought`: what the answer says, once that is known.

    `traceparent`: the turn's trace, which a process after this one continues.
    """

    update: dict[str, Any]
    recorded: bool = False
    thought: Thought | None = None
    traceparent: str | None = field(default_factory=tracing.traceparent)
    delivery: Delivery = field(default_factory=Delivery)


_ENTRY = TypeAdapter(Entry)


class Inbox:
    """A folder of entries, by update number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def __contains__(self, update_id: int) -> bool:
        return self._file(update_id).exists()

    def put(self, update_id: int, entry: Entry) -> None:
        """Keep an entry, or replace it."""
        write(self._file(update_id), _ENTRY.dump_json(entry).decode())

    def done(self, update_id: int) -> None:
        self._file(update_id).unlink(missing_ok=True)

    def left(self) -> Iterator[tuple[int, Entry]]:
        """What was interrupted, oldest first."""
        for file in sorted(self._folder.glob("*.json"), key=lambda f: int(f.stem)):
            try:
                yield int(file.stem), _ENTRY.validate_json(file.read_bytes())
            except ValidationError:
                logger.warning("update %s was kept in half only and is dropped; the memory has its message", file.stem)
                file.unlink(missing_ok=True)

    def _file(self, update_id: int) -> Path:
        return self._folder / f"{update_id}.json"
