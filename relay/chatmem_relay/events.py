"""The relay's events: one JSON line each in logs/YYYY-MM-DD.jsonl; figures, ids and outcomes, never a message's text."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol


class Emit(Protocol):
    def __call__(self, event: str, *, trace_id: str | None = None, **fields: Any) -> None: ...


def silent(event: str, *, trace_id: str | None = None, **fields: Any) -> None:
    """Where observability is off."""


def journal(folder: Path, now: Callable[[], datetime]) -> Emit:
    """Appends to the file of the day in `now`'s zone. A line is one write, so that processes can share the file."""

    def emit(event: str, *, trace_id: str | None = None, **fields: Any) -> None:
        at = now()
        folder.mkdir(parents=True, exist_ok=True)
        line = {"at": at.isoformat(), "service": "relay", "event": event, "traceId": trace_id, **fields}
        with (folder / f"{at:%Y-%m-%d}.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")

    return emit
