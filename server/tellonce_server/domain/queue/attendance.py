"""Records which summarizers are at work. A summarizer is at work if it recently asked for work or extended a lease."""

import time
from collections.abc import Callable
from datetime import timedelta

from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import queue
from tellonce_server.store.queue import JobKey

SILENT = timedelta(seconds=90)
"""A worker that has made no request for this length of time counts as gone. A claim waits at most 60 seconds, and a
lease is extended every 20 seconds.
"""

FORGOTTEN = timedelta(days=1)
NOTE_SECONDS = 15.0
"""Minimum seconds between two database writes about one worker. The minimum is needed because an idle worker repeats
its request without a pause."""


class Attendance:
    def __init__(self, deps: Dependencies, clock: Callable[[], float] = time.monotonic) -> None:
        self._deps = deps
        self._clock = clock
        self._noted: dict[str, float] = {}

    async def asks(self, worker: str) -> None:
        """Record that the worker asks for work."""
        at = self._clock()
        if at - self._noted.get(worker, -NOTE_SECONDS) < NOTE_SECONDS:
            return
        self._noted = {name: noted for name, noted in self._noted.items() if at - noted < NOTE_SECONDS}
        self._noted[worker] = at
        now = self._deps.now()
        await queue.worker_seen(self._deps.database, worker, now, now - FORGOTTEN)

    async def extends(self, job: JobKey, fence: int) -> None:
        """Record that the worker that holds the job is still working."""
        await queue.holder_seen(self._deps.database, *job, fence, self._deps.now())

    async def at_work(self, besides: str = "") -> bool:
        """Whether any worker other than `besides` is at work."""
        return await queue.any_at_work(self._deps.database, self._deps.now() - SILENT, besides)

    async def left(self, worker: str) -> None:
        """Record that the worker has ended, so that another worker may start at once."""
        await queue.worker_left(self._deps.database, worker)
