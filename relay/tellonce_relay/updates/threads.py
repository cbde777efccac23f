"""Runs work in strict order per thread and concurrently across threads. This module does not know what the work is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable

from tellonce.shutdown import drained

Work = Callable[[], Awaitable[None]]

logger = logging.getLogger(__name__)


class Threads:
    """Each thread has a queue and a task. The task ends when the queue is empty."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, asyncio.Queue[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, thread: Hashable, work: Work) -> None:
        """Run `work` after all work that was submitted to the thread before."""
        queue = self._queues.get(thread)
        if queue is None:
            queue = self._queues[thread] = asyncio.Queue()
            task = asyncio.create_task(self._run(thread, queue))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        queue.put_nowait(work)

    async def drain(self, seconds: float) -> None:
        """Wait up to `seconds` for running work to end, then cancel the work that still runs."""
        await drained(self._tasks, seconds)

    async def _run(self, thread: Hashable, queue: asyncio.Queue[Work]) -> None:
        try:
            while not queue.empty():
                await _done(queue.get_nowait())
        finally:
            del self._queues[thread]


async def _done(work: Work) -> None:
    try:
        await work()
    except Exception:
        # Any error is caught here, because the next work in the thread does not depend on the work that failed.
        logger.exception("work of a thread failed")
