"""Work in strict order per lane, in parallel across lanes; knows nothing of what the work is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable

Work = Callable[[], Awaitable[None]]


logger = logging.getLogger(__name__)


class Lanes:
    """One queue a lane; a lane's task ends when it has nothing left. Work that raises is logged, and the next begins."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, asyncio.Queue[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, lane: Hashable, work: Work) -> None:
        """Do `work` after everything submitted to the lane before."""
        queue = self._queues.get(lane)
        if queue is None:
            queue = self._queues[lane] = asyncio.Queue()
            task = asyncio.create_task(self._run(lane, queue))
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

    async def _run(self, lane: Hashable, queue: asyncio.Queue[Work]) -> None:
        try:
            while not queue.empty():
                await _done(queue.get_nowait())
        finally:
            del self._queues[lane]


async def _done(work: Work) -> None:
    try:
        await work()
    except Exception:
        # An edge: what waits behind it in its lane has nothing to do with it.
        logger.exception("work of a lane failed")
