"""Stores small values by name in one file, the newest last. This module does not know what the stored values mean.

Several processes, such as a relay and `tellonce send`, share the file, so it is read again when another process has
changed it.
"""

import json
from collections import OrderedDict
from pathlib import Path


class SeenStore:
    """At most `most` entries; the oldest are dropped first. Without a file, the entries are lost when the process
    ends."""

    def __init__(self, file: Path | None = None, most: int = 500) -> None:
        self._file = file
        self._most = most
        self._entries: OrderedDict[str, str] = OrderedDict()
        self._version = (0, 0)

    def get(self, name: str) -> str | None:
        self._read_again()
        return self._entries.get(name)

    def items(self) -> list[tuple[str, str]]:
        self._read_again()
        return list(self._entries.items())

    def put(self, name: str, value: str) -> None:
        """Store a value so that it survives a kill."""
        if self.get(name) == value:
            return
        self._entries[name] = value
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)
        if self._file is not None:
            self._version = write(self._file, json.dumps(self._entries))

    def _read_again(self) -> None:
        version = _version(self._file)
        if self._file is not None and version != self._version:
            self._entries, self._version = OrderedDict(_read(self._file)), version


def write(file: Path, text: str) -> tuple[int, int]:
    """Write the file atomically, so that a kill leaves either the old or the new file. Returns the new version of the
    file."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_suffix(".new")
    draft.write_text(text)
    version = _version(draft)
    draft.replace(file)
    return version


def _version(file: Path | None) -> tuple[int, int]:
    """The inode and modification time of the file. The inode differs after a replacement, even within one tick of the
    clock."""
    try:
        status = file.stat() if file is not None else None
    except FileNotFoundError:
        status = None
    return (status.st_ino, status.st_mtime_ns) if status is not None else (0, 0)


def _read(file: Path) -> dict[str, str]:
    try:
        return {str(name): str(value) for name, value in json.loads(file.read_text()).items()}
    except (ValueError, AttributeError):
        # A power failure may leave half a file. It is then ignored, because its contents are not essential.
        return {}
