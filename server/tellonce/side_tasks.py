"""Runs the named background tasks of a process. A task that fails is logged, reported by `/health` and restarted.

This module does not know the purpose of any task.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tellonce.backoff import backoff
from tellonce.shutdown import ended

logger = logging.getLogger(__name__)

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Maximum seconds before a failed task is restarted. Each consecutive failure doubles the pause."""

STEADY_SECONDS = 300.0
"""If a task ran for this many seconds and then failed, it restarts with the shortest pause."""

MOST_FAILURES = 10
"""A vital task ends the process after this many consecutive failures."""


@dataclass(frozen=True)
class SideTask:
    """A background task. A return of `run` is a failure unless `ends` is set. If a `vital` task keeps failing, the
    process ends."""

    name: str
    run: Callable[[], Awaitable[object]]
    vital: bool = False
    ends: bool = False


@dataclass
class _Record:
    failures: int = 0
    in_a_row: int = 0
    error: str | None = None
    running: bool = False


class SideTaskEnded(Exception):
    """A side task returned although it should run until it is cancelled."""


def end_process() -> None:
    """Send SIGTERM to this process, so that it shuts down gracefully. Its supervisor starts it again."""
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass(frozen=True)
class SideTasks:
    """Runs the tasks. `clock` returns seconds, `sleep` waits for seconds, and `give_up` ends the process."""

    tasks: Sequence[SideTask]
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    give_up: Callable[[], None] = end_process
    _records: dict[str, _Record] = field(default_factory=dict)
    _group: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def health(self) -> dict[str, dict[str, object]]:
        """The state of each task. `error` is the type of the task's last failure, without the failure's text."""
        return {
            name: {"running": record.running, "failures": record.failures, "error": record.error}
            for name, record in self._records.items()
        }

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["SideTasks"]:
        """Run all tasks during the block, then cancel the tasks and wait until they have ended."""
        self._records.update({task.name: _Record() for task in self.tasks})
        self._group.extend(asyncio.create_task(self._supervise(task), name=task.name) for task in self.tasks)
        try:
            yield self
        finally:
            await ended(*self._group)

    async def ended(self, seconds: float) -> None:
        """Wait until all tasks have ended by themselves, but at most `seconds`."""
        await asyncio.wait(self._group, timeout=seconds)

    async def _supervise(self, task: SideTask) -> None:
        record = self._records[task.name]
        while True:
            started, record.running = self.clock(), True
            try:
                await task.run()
                if task.ends:
                    record.running = False
                    return
                raise SideTaskEnded(f"{task.name} returned")
            except Exception as error:
                # Any error of a task is caught here, so that the other tasks continue and the failed task is restarted.
                record.running = False
                record.failures += 1
                record.in_a_row = 1 if self.clock() - started >= STEADY_SECONDS else record.in_a_row + 1
                record.error = type(error).__name__
                wait = backoff(record.in_a_row, FIRST_PAUSE, LONGEST_PAUSE, jitter=lambda: 1.0)
                logger.exception("side task %s failed; it starts again in %.0f s", task.name, wait)
            if task.vital and record.in_a_row >= MOST_FAILURES:
                logger.critical("side task %s failed %d times in a row; the process ends", task.name, record.in_a_row)
                self.give_up()
                return
            await self.sleep(wait)
