"""Limits the calls per hour and day. The calls are counted in a file, so that a restart does not reset the count."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from tellonce.file_lock import exclusive

_HOUR = 3600.0
_DAY = 86_400.0
_LOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Used:
    """Calls within the last hour and the last day."""

    hour: int
    day: int


@dataclass(frozen=True)
class Allowance:
    """A limit on calls. Processes with the same `file` share the limit. `clock` returns seconds since 1970."""

    file: Path
    an_hour: int
    a_day: int
    clock: Callable[[], float] = time.time

    async def take(self, share: float = 1.0) -> float:
        """Count a call and return 0. If no call is allowed now, return the seconds until the next call is allowed. The
        call may use only the `share` of each limit; the rest is reserved for other callers. Raises TimeoutError if
        another process keeps the file locked."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with anyio.fail_after(_LOCK_SECONDS):
            async with exclusive(self.file.with_suffix(".lock")):
                return self._counted(share)

    def _counted(self, share: float) -> float:
        now = self.clock()
        calls = self._calls(now)
        hour, day = int(self.an_hour * share), int(self.a_day * share)
        wait = max(_wait(calls, hour, _HOUR, now), _wait(calls, day, _DAY, now))
        if wait <= 0:
            self.file.write_text(json.dumps([*calls, now]))
        return max(0.0, wait)

    def used(self) -> Used:
        """The number of calls used within the last hour and day."""
        now = self.clock()
        calls = self._calls(now)
        return Used(hour=sum(at > now - _HOUR for at in calls), day=len(calls))

    def _calls(self, now: float) -> list[float]:
        """An unreadable file counts as empty."""
        try:
            times = json.loads(self.file.read_text())
        except (OSError, ValueError):
            return []
        if not isinstance(times, list):
            return []
        # A clock that was set back must not block the command for longer than a day.
        return sorted(min(at, now) for at in times if isinstance(at, int | float) and at > now - _DAY)


def _wait(calls: list[float], most: int, span: float, now: float) -> float:
    """Seconds until `span` contains fewer than `most` of the calls."""
    within = [at for at in calls if at > now - span]
    if len(within) < most:
        return 0.0
    return within[len(within) - most] + span - now if most else span
