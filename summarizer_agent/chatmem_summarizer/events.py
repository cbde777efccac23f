"""The agent's events as JSON lines, one file a day; knows nothing of what they mean."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any


class Journal:
    """Appends events to `<folder>/YYYY-MM-DD.jsonl`, the day being that of `now`'s zone."""

    def __init__(self, folder: Path, now: Callable[[], datetime]) -> None:
        self._folder = folder
        self._now = now

    def __call__(self, event: str, fields: dict[str, Any]) -> None:
        """Writes one line. Several processes may write to one file: a line is one write to a file opened for append."""
        at = self._now()
        self._folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps(
            {"at": at.isoformat(), "service": "summarizer", "event": event, **fields}, ensure_ascii=False, default=str
        )
        with (self._folder / f"{at:%Y-%m-%d}.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def unheard(event: str, fields: dict[str, Any]) -> None:
    """Where no journal is kept."""
