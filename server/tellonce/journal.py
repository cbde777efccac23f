"""Writes events to `<folder>/YYYY-MM-DD.jsonl`: figures, ids and outcomes, never the text of a message."""

import json
import logging
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from tellonce import tracing
from tellonce.settings import Settings

logger = logging.getLogger(__name__)


class Emit(Protocol):
    """Emits an event. The field `ms` is the duration of the reported action in milliseconds."""

    def __call__(self, event: str, /, **fields: object) -> None: ...


def utc_now() -> datetime:
    return datetime.now(UTC)


def silent(event: str, /, **fields: object) -> None:
    """The emitter when observability is off: it does nothing."""


def journal(process: str, settings: Settings, now: Callable[[], datetime] = utc_now) -> Emit:
    """The emitter for the process `process`, according to its settings."""
    if not settings.observability:
        return silent
    return Journal(settings.log_dir, process, ZoneInfo(settings.timezone), now)


@contextmanager
def timed(emit: Emit, event: str, **fields: object) -> Generator[dict[str, object]]:
    """A tracing span around the block. If the block succeeds, the event is emitted with all fields."""
    started = time.perf_counter()
    found: dict[str, object] = {}
    with tracing.traced(event):
        yield found
        emit(event, ms=round((time.perf_counter() - started) * 1000, 2), **fields, **found)


_APPENDING: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT


@dataclass(frozen=True)
class Journal:
    """Appends events to one file per day of `zone`, each in one call, so that processes do not mix. If the disk is
    full, events are lost, but no turn fails."""

    folder: Path
    process: str
    zone: ZoneInfo
    now: Callable[[], datetime]

    def __call__(self, event: str, /, **fields: object) -> None:
        at = self.now().astimezone(self.zone)
        head = {"at": at.isoformat(), "process": self.process, "event": event, "traceId": tracing.trace_id()}
        line = json.dumps({**head, **fields}, ensure_ascii=False, default=str) + "\n"
        try:
            self._append(self.folder / f"{at:%Y-%m-%d}.jsonl", line.encode())
        except OSError as error:
            logger.warning("event %s was not written: %s", event, error)

    def _append(self, file: Path, line: bytes) -> None:
        try:
            descriptor = os.open(file, _APPENDING, 0o600)
        except FileNotFoundError:
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, _APPENDING, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
