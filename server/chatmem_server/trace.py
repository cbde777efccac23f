"""One JSON line an event, in logs/YYYY-MM-DD.jsonl; figures, ids and outcomes only, never a message's text."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

Emit = Callable[..., None]


def silent(event: str, *, trace_id: str | None = None, **fields: Any) -> None:
    """Observability is off."""


def jsonl(folder: Path, service: str, now: Callable[[], datetime]) -> Emit:
    """An emitter that appends to the day's file. One write a line, so that processes can share the file."""
    folder.mkdir(parents=True, exist_ok=True)

    def emit(event: str, *, trace_id: str | None = None, **fields: Any) -> None:
        at = now()
        line = {"at": at.isoformat(), "service": service, "event": event, "traceId": trace_id, **fields}
        with (folder / f"{at.date().isoformat()}.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")

    return emit
