"""Small things to remember across restarts: names and values in one file, the newest last; knows not what they mean."""

import json
from collections import OrderedDict
from pathlib import Path


class Notebook:
    """At most `most` entries; the oldest go first. Without a file, until the process ends."""

    def __init__(self, file: Path | None = None, most: int = 500) -> None:
        self._file = file
        self._most = most
        self._entries: OrderedDict[str, str] = OrderedDict(_read(file))

    def get(self, name: str) -> str | None:
        return self._entries.get(name)

    def items(self) -> list[tuple[str, str]]:
        return list(self._entries.items())

    def put(self, name: str, value: str) -> None:
        """Note it, and keep it through a kill."""
        if self._entries.get(name) == value:
            return
        self._entries[name] = value
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)
        if self._file is not None:
            write(self._file, json.dumps(self._entries))


def write(file: Path, text: str) -> None:
    """The whole text or nothing: a kill in between leaves the old file."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_suffix(".new")
    draft.write_text(text)
    draft.replace(file)


def _read(file: Path | None) -> dict[str, str]:
    if file is None or not file.exists():
        return {}
    try:
        return {str(name): str(value) for name, value in json.loads(file.read_text()).items()}
    except (ValueError, AttributeError):
        # A machine that lost power may leave half a file; what it held is a convenience.
        return {}
