"""Work in strict order per thread, in parallel across threads; knows nothing of what the work is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable

Work = Callable[[], Awaitable[None]]


logger = logging.getLogger(__name__)


class Threads:
    """One queue a thread; a thread's task ends when it has nothing left. Work that raises is logged, and the next begins."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, asyncio.Queue[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, thread: Hashable, work: Work) -> None:
        """Do `work` after everything submitted to the thread before."""
        queue = self._queues.get(thread)
        if queue is None:
            queue = self._queues[thread] = asyncio.Queue()
            task = asyncio.create_task(self._run(thread, queue))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        queue.put_nowait(work)

    async def drain(self, seconds: float) -> None:
        """Let what is under way end, for so long; then cancel it."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

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
        # An edge: what waits behind it in its thread has nothing to do with it.
        logger.exception("work of a thread failed")
