"""Stores the updates that were accepted from Telegram and are not handled yet. Interrupted turns can thus be continued.
Each update has a file.

Each line of a file is a state of its entry; the last complete line is the newest.

Telegram forgets an acknowledged update. The update is therefore kept here, with the state of its answer, until its turn
is over. If the process is killed, nothing that was written is lost. After a power failure, data that `secure` has not
flushed may be lost. An update that needs an answer is flushed. The newest state of this answer may still be lost; a
part of the answer is then sent again.
"""

import asyncio
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from telegram import InlineKeyboardMarkup

from tellonce import tracing
from tellonce.client import MemoryUnreachable
from tellonce_relay.seen_store import SeenStore, append, lines, write
from tellonce_relay.telegram.chat_surface import Delivery
from tellonce_relay.turn.turn import DraftAnswer

logger = logging.getLogger(__name__)


@dataclass
class Aside:
    """A text that is sent separately from the answer, with the JSON of its buttons and the state of its delivery."""

    text: str
    buttons: dict[str, Any] | None = None
    delivery: Delivery = field(default_factory=Delivery)

    @property
    def markup(self) -> InlineKeyboardMarkup | None:
        return InlineKeyboardMarkup.de_json(self.buttons) if self.buttons is not None else None


@dataclass
class Entry:
    """An entry. `recorded` means that the memory has the message. `draft` is the answer, once it is known; `begun` is
    the beginning of an interrupted answer. `traceparent` identifies the turn's trace. `part_of` is an earlier update
    whose answer also answers this update. `transcript` is the text of a voice message. `direct` means that the message
    is an order in words that is carried out without the model."""

    update: dict[str, Any]
    recorded: bool = False
    draft: DraftAnswer | None = None
    traceparent: str | None = field(default_factory=tracing.traceparent)
    delivery: Delivery = field(default_factory=Delivery)
    asides: dict[str, Aside] = field(default_factory=dict)
    part_of: int | None = None
    begun: str = ""
    transcript: str | None = None
    direct: bool = False


class NotStored(MemoryUnreachable):
    """The disk cannot be written, so Telegram must deliver the update again."""


_ENTRY = TypeAdapter(Entry)
LARGEST = 1 << 20
"""Maximum bytes of a file. If a file becomes larger, only its newest state is kept. An answer that is owed for days has
many states."""


class Inbox:
    """One file for each entry, named by the update, and a file of the updates that were handled last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handled = SeenStore(folder.with_name("handled.json"))
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def __contains__(self, update_id: int) -> bool:
        return self._file(update_id).exists()

    def put(self, update_id: int, entry: Entry) -> None:
        """Store the state of an entry. Raises NotStored if a new entry cannot be written. If a later state cannot be
        written, the turn continues. If the process is then killed, a part of the answer is sent twice."""
        file = self._file(update_id)
        is_new = not file.exists()
        try:
            state = _ENTRY.dump_json(entry).decode()
            append(file, state)
            if file.stat().st_size > LARGEST:
                write(file, state)
        except OSError as error:
            if is_new:
                file.unlink(missing_ok=True)
                raise NotStored(f"{self._folder} cannot be written: {error.strerror}") from error
            logger.warning("the state of update %s was not stored: %s", update_id, error.strerror)

    async def secure(self, update_id: int) -> None:
        """Wait until the entry is on the disk or deleted."""
        try:
            await asyncio.to_thread(_synced, self._file(update_id), self._folder)
        except FileNotFoundError:
            return
        except OSError as error:
            logger.warning("update %s may not survive a power failure: %s", update_id, error.strerror)

    def done(self, update_id: int) -> None:
        """Delete the entry, and store that its update was handled, because Telegram may deliver it again."""
        self._handled.put(str(update_id), "")
        self._file(update_id).unlink(missing_ok=True)

    def was_handled(self, update_id: int) -> bool:
        return self._handled.get(str(update_id)) is not None

    def left(self) -> Iterator[tuple[int, Entry]]:
        """Interrupted entries, oldest first."""
        for file in sorted(self._folder.glob("*.json"), key=lambda f: int(f.stem)):
            entry = next(filter(None, map(_parsed, reversed(lines(file)))), None)
            if entry is not None:
                yield int(file.stem), entry
            else:
                logger.warning("the incomplete file of update %s is dropped; the memory has its message", file.stem)
                file.unlink(missing_ok=True)

    def _file(self, update_id: int) -> Path:
        return self._folder / f"{update_id}.json"


def _parsed(line: str) -> Entry | None:
    try:
        return _ENTRY.validate_json(line)
    except ValidationError:
        return None


def _synced(*paths: Path) -> None:
    """Flush these paths to disk in order. A folder comes after its file, because the folder contains the file's name.
    Only POSIX systems can open a folder."""
    for path in paths if os.name == "posix" else ():
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
