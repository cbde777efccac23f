"""Deletes old receipts, finished jobs and records of single model calls. Messages are not deleted here."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from tellonce_server.domain.dependencies import Dependencies

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
        async with self._deps.database.session() as session:
            if not await session.value("locks.take", LOCK):
                return 0
            try:
                return sum([await self._all(name, bound) for name, bound in self._due()])
            finally:
                await session.value("locks.release", LOCK)

    def _due(self) -> Iterator[tuple[str, Any]]:
        kept, now = self._deps.settings.retention, self._deps.now()
        yield "retention.old_receipts", now - timedelta(days=kept.receipt_days)
        yield "retention.surplus_receipts", kept.receipts_per_chat
        yield "retention.finished_jobs", now - timedelta(days=kept.job_days)
        yield "retention.model_calls", now - timedelta(days=kept.call_days)

    async def _all(self, name: str, bound: Any) -> int:
        total = 0
        while gone := await self._deps.database.value(name, bound, BATCH):
            total += gone
            if gone < BATCH:
                break
            await asyncio.sleep(PAUSE_SECONDS)
        return total
