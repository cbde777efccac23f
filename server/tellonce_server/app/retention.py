"""Deletes old receipts, finished jobs and records of single model calls. Messages are not deleted here."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Final

from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.store import ledger, queue, receipts

BATCH: Final = 500
"""Maximum rows that one transaction deletes; this takes about 20 ms."""
PAUSE_SECONDS: Final = 0.02
"""Seconds between two batches, so that a first run over years of rows does not overload the disk."""

LOCK: Final = 0x63_68_61_74_72_65_74_6E
"""The advisory lock that is held while rows are deleted. A second server would only look for the same rows."""


class Retention:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def prune(self) -> int:
        """Delete in batches all rows that are older than the settings allow. Returns the number of deleted rows, or 0
        if another server is deleting now."""
        async with self._deps.database.lock(LOCK) as held:
            return sum([await self._all(batch) for batch in self._due()]) if held else 0

    def _due(self) -> Iterator[Callable[[int], Awaitable[int]]]:
        """Functions that delete at most the given number of old rows and return the number of deleted rows."""
        kept, now = self._deps.settings.retention, self._deps.now()
        database = self._deps.database
        yield partial(receipts.drop_old, database, now - timedelta(days=kept.receipt_days))
        yield partial(receipts.drop_surplus, database, kept.receipts_per_chat)
        yield partial(queue.drop_finished, database, now - timedelta(days=kept.job_days))
        yield partial(ledger.fold_months, database, now - timedelta(days=kept.call_days))

    async def _all(self, batch: Callable[[int], Awaitable[int]]) -> int:
        total = 0
        while gone := await batch(BATCH):
            total += gone
            if gone < BATCH:
                break
            await asyncio.sleep(PAUSE_SECONDS)
        return total
