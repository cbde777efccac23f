"""Updates taken from Telegram and not yet dealt with, one file each: what a kill interrupts is taken up again.

Telegram forgets an update once it is acknowledged, so it is kept here until its turn is over.
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

logger = logging.getLogger(__name__)

Stage = Literal["taken", "sending", "sent"]


@dataclass(frozen=True)
class Entry:
    """`sending`: the answer is on its way, perhaps there. `sent`: it is there as `ids`, perhaps not recorded yet."""

    update: dict[str, Any]
    stage: Stage = "taken"
    ids: tuple[str, ...] = ()
    text: str = ""


class Inbox:
    """A folder of entries, by update number; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)

    def put(self, update_id: int, entry: Entry) -> None:
        """Keep an entry, or replace it; a kill in between leaves the old one."""
        if self._folder is None:
            return
        value = {"update": entry.update, "stage": entry.stage, "ids": entry.ids, "text": entry.text}
        draft = self._folder / f"{update_id}.new"
        draft.write_text(json.dumps(value))
        draft.replace(self._file(self._folder, update_id))

    def done(self, update_id: int) -> None:
        if self._folder is not None:
            self._file(self._folder, update_id).unlink(missing_ok=True)

    def left(self) -> Iterator[tuple[int, Entry]]:
        """What was interrupted, oldest first."""
        if self._folder is None:
            return
        for file in sorted(self._folder.glob("*.json"), key=lambda f: int(f.stem)):
            try:
                value = json.loads(file.read_text())
                entry = Entry(value["update"], value["stage"], tuple(value["ids"]), value["text"])
            except (ValueError, KeyError, TypeError):
                # A machine that lost power may leave half a file; the message itself is in the memory.
                logger.warning("update %s was kept in half only and is dropped", file.stem)
                file.unlink(missing_ok=True)
                continue
            yield int(file.stem), entry

    @staticmethod
    def _file(folder: Path, update_id: int) -> Path:
        return folder / f"{update_id}.json"
