"""Updates taken from Telegram and not yet dealt with, one file each: what a kill interrupts is taken up again.

Telegram forgets an update once it is acknowledged, so it is kept here, with how far its answer got, until its turn is
over. A kill of the process loses nothing that was written, a power cut nothing that was secured: that an update is owed an
answer. How far the answer got may then be forgotten, and a part of it sent again.
"""

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tellonce import tracing
from tellonce_relay.seen_store import write
from tellonce_relay.telegram.chat_surface import Delivery
from tellonce_relay.turn.turn import DraftAnswer

logger = logging.getLogger(__name__)


@dataclass
class Aside:
    """A sentence beside the answer, and how far it got."""

    text: str
    delivery: Delivery = field(default_factory=Delivery)


@dataclass
class Entry:
    """`recorded`: the memory surely has the message. `thought`: what the answer says, once that is known.

    `traceparent`: the turn's trace, which a process after this one continues. `part_of`: the update whose answer covers this
    message too. `begun`: the beginning of an answer that broke off. `transcript`: what was heard in it.
    """

    update: dict[str, Any]
    recorded: bool = False
    draft: DraftAnswer | None = None
    traceparent: str | None = field(default_factory=tracing.traceparent)
    delivery: Delivery = field(default_factory=Delivery)
    asides: dict[str, Aside] = field(default_factory=dict)
    part_of: int | None = None
    begun: str = ""
    transcript: str | None = None


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

    async def secure(self, update_id: int) -> None:
        """Return when the entry is on the disk, or done with. In a thread, so that the turn goes on meanwhile."""
        with suppress(FileNotFoundError):
            await asyncio.to_thread(_synced, self._file(update_id), self._folder)

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


def _synced(*paths: Path) -> None:
    """To the disk. The folder is the last of them, for it names the file; only POSIX can open one."""
    for path in paths if os.name == "posix" else ():
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
