"""What a server process does between calls: announce, listen, embed, give memory back, and finish what a dead process left."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from chatmem_server import heap
from chatmem_server.actors import Actors
from chatmem_server.embedding.backlog import EmbeddingBacklog
from chatmem_server.embedding.near_index import NearIndexes
from chatmem_server.erasure.scrubbing import Scrubber
from chatmem_server.events import Announcer, Listener
from chatmem_server.outage import AWAY
from chatmem_server.retention import Retention

logger = logging.getLogger(__name__)

TIDY_SECONDS = 5.0
ENDINGS_SECONDS = 600.0
SCRUB_CHECK_SECONDS = 600.0
NEAR_INDEX_SECONDS = 300.0
RETENTION_SECONDS = 3600.0
MODEL_SECONDS = 2.0


class Background:
    def __init__(
        self,
        actors: Actors,
        announcer: Announcer,
        listener: Listener,
        scrubber: Scrubber,
        near: NearIndexes,
        follow_model: Callable[[], Awaitable[None]],
    ) -> None:
        self._actors = actors
        self._announcer = announcer
        self._listener = listener
        self._scrubber = scrubber
        self._near = near
        self._follow_model = follow_model
        self._backlog = EmbeddingBacklog(actors.kit.database, actors.kit.embedder)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        tasks = [
            asyncio.create_task(self._announcer.run()),
            asyncio.create_task(self._listener.run()),
            asyncio.create_task(self._actors.kit.embedder.run()),
            asyncio.create_task(self._backlog.run()),
            asyncio.create_task(_every(TIDY_SECONDS, self._actors.work.tidy)),
            asyncio.create_task(_every(ENDINGS_SECONDS, self._actors.tidying.tidy)),
            asyncio.create_task(_every(SCRUB_CHECK_SECONDS, self._scrubber.scrub_if_due)),
            asyncio.create_task(_every(RETENTION_SECONDS, Retention(self._actors.kit).prune)),
            asyncio.create_task(_every(NEAR_INDEX_SECONDS, self._near.build_missing)),
            asyncio.create_task(_every(MODEL_SECONDS, self._follow_model)),
            asyncio.create_task(_every(heap.TRIM_SECONDS, heap.trim)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _every(seconds: float, work: Callable[[], Awaitable[object]]) -> None:
    """Again and again; a database that is away for a while ends nothing."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except AWAY as error:
            logger.warning("background work put off: %s", error)
