"""Stores small values by name in one file, the newest last. This module does not know what the stored values mean.

Several processes, such as a relay and `tellonce send`, share the file. When another process has changed the file, it is
read again. A value is appended as a line, because replacing the file would take 20 times as long. On a busy disk,
replacing would even take milliseconds, because ext4 then writes the new file to the disk at once.
"""

import errno
import json
import logging
import os
from collections import OrderedDict
from pathlib import Path

logger = logging.getLogger(__name__)


class SeenStore:
    """Stores at most `most` entries; the oldest are dropped. Without a file, nothing is kept."""

    def __init__(self, file: Path | None = None, most: int = 500) -> None:
        self._file = file
        self._most = most
        self._entries: OrderedDict[str, str] = OrderedDict()
        self._version = (0, 0)
        self._lines = 0

    def get(self, name: str) -> str | None:
        self._read_again()
        return self._entries.get(name)

    def items(self) -> list[tuple[str, str]]:
        self._read_again()
        return list(self._entries.items())

    def put(self, name: str, value: str) -> None:
        """Store a value so that it survives a kill. If the disk is full, this process alone knows the value."""
        if self.get(name) == value:
            return
        self._set(name, value)
        if self._file is None:
            return
        try:
            self._store(self._file, {name: value})
        except OSError as error:
            logger.warning("%s cannot be written: %s", self._file, error.strerror)
            self._version = _version(self._file)

    def _store(self, file: Path, new: dict[str, str]) -> None:
        if self._lines > self._most:
            write(file, json.dumps(self._entries))
            self._version, self._lines = _version(file), 1
            return
        size = self._version[1] + append(file, json.dumps(new))
        self._lines += 1
        version = _version(file)
        if version[1] == size:  # a different size means that another process wrote, so the file is read again
            self._version = version

    def _set(self, name: str, value: str) -> None:
        self._entries[name] = value
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def _read_again(self) -> None:
        version = _version(self._file)
        if self._file is None or version == self._version:
            return
        self._entries, self._version = OrderedDict(), version
        found = lines(self._file)
        self._lines = len(found)
        for line in found:
            for name, value in _read(line).items():
                self._set(name, value)


def append(file: Path, text: str) -> int:
    """Add a line to the file and return the line's size in bytes. The line break comes first, so that an incomplete
    line of a killed process does not damage this line. Raises OSError for a partial write."""
    line = f"\n{text}".encode()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        written = os.write(number, line)
        if written < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written
    finally:
        os.close(number)


def write(file: Path, text: str) -> None:
    """Replace the file by one line, atomically: if the process is killed, the old file remains."""
    draft = file.with_suffix(".new")
    draft.write_text(text)
    draft.replace(file)


def lines(file: Path) -> list[str]:
    """The lines, oldest first. After a kill or a power failure, a line can be incomplete."""
    return file.read_text("utf-8", errors="replace").split("\n") if file.exists() else []


def _version(file: Path | None) -> tuple[int, int]:
    """The inode and size of the file. The inode differs after a replacement."""
    try:
        status = file.stat() if file is not None else None
    except FileNotFoundError:
        status = None
    return (status.st_ino, status.st_size) if status is not None else (0, 0)


def _read(line: str) -> dict[str, str]:
    try:
        return {str(name): str(value) for name, value in json.loads(line).items()}
    except (ValueError, AttributeError):
        # An incomplete line is ignored, because its contents are not essential.
        return {}
