"""The background tasks of a server process, for example announcing changes, embedding texts and deleting old
records."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Final

from tellonce.side_tasks import SideTask
from tellonce_server.app.events import Announcer, Listener
from tellonce_server.core.errors import DATABASE_ERRORS, DATABASE_FAILURES
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.scrub import Scrubber
from tellonce_server.domain.memory import expiry
from tellonce_server.domain.queue.compaction import compact_silent
from tellonce_server.embedding.backlog import EmbeddingBacklog
from tellonce_server.services.services import Services
from tellonce_server.store import ledger, queue, receipts
from tellonce_server.store.uploads import Uploads

TIDY_SECONDS = 5.0
ENDINGS_SECONDS = 600.0
SCRUB_CHECK_SECONDS = 600.0
UPLOADS_SECONDS = 60.0
NEAR_INDEX_SECONDS = 300.0
RETENTION_SECONDS = 3600.0
CONNECTIONS_SECONDS = 60.0


def side_tasks(
    services: Services,
    announcer: Announcer,
    listener: Listener,
    scrubber: Scrubber,
    build_indexes: Callable[[], Awaitable[object]],
) -> tuple[SideTask, ...]:
    """The tasks that run while the memory is open."""
    deps = services.deps
    return (
        SideTask("announcing", announcer.run, vital=True),
        SideTask("listening", listener.run, vital=True),
        SideTask("embedding model", deps.embedder.run),
        SideTask("embedding backlog", EmbeddingBacklog(deps.database, deps.embedder).run),
        _every("tidying", TIDY_SECONDS, services.work.tidy),
        _every("categories", TIDY_SECONDS, services.categories.assign),
        _every("ending goals and dates", ENDINGS_SECONDS, partial(expiry.tidy, deps)),
        _every("silent threads", ENDINGS_SECONDS, partial(compact_silent, deps)),
        _every("pruning", RETENTION_SECONDS, partial(prune, deps)),
        _every("abandoned uploads", UPLOADS_SECONDS, Uploads(deps.settings.data_dir).expire),
        _every("scrubbing", SCRUB_CHECK_SECONDS, scrubber.scrub_if_due),
        _every("near indexes", NEAR_INDEX_SECONDS, build_indexes),
        _every("idle connections", CONNECTIONS_SECONDS, deps.database.return_unneeded),
    )


def _every(name: str, seconds: float, work: Callable[[], Awaitable[object]]) -> SideTask:
    return SideTask(name, partial(_repeat, seconds, work))


async def _repeat(seconds: float, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except DATABASE_FAILURES as error:
            DATABASE_ERRORS.noted(error)


BATCH: Final = 500
"""Maximum number of rows that one transaction deletes. Such a transaction takes about 20 ms."""
PAUSE_SECONDS: Final = 0.02
"""Seconds between two batches, so that a first run over years of rows does not overload the disk."""

LOCK: Final = 0x63_68_61_74_72_65_74_6E
"""The advisory lock for deleting rows. It prevents a second server from searching for the same rows."""


async def prune(deps: Dependencies) -> int:
    """Apply the retention settings in batches. Returns the number of deleted rows, or 0 if another server is deleting
    them."""
    async with deps.database.lock(LOCK) as held:
        return sum([await _all(batch) for batch in _due(deps)]) if held else 0


def _due(deps: Dependencies) -> Iterator[Callable[[int], Awaitable[int]]]:
    kept, now, database = deps.settings.retention, deps.now(), deps.database
    yield partial(receipts.drop_old, database, now - timedelta(days=kept.receipt_days))
    yield partial(receipts.drop_surplus, database, kept.receipts_per_chat)
    yield partial(queue.drop_finished, database, now - timedelta(days=kept.job_days))
    yield partial(ledger.fold_months, database, now - timedelta(days=kept.call_days))


async def _all(batch: Callable[[int], Awaitable[int]]) -> int:
    total = 0
    while gone := await batch(BATCH):
        total += gone
        if gone < BATCH:
            break
        await asyncio.sleep(PAUSE_SECONDS)
    return total
