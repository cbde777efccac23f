"""How long the memory keeps what only explains it: receipts, finished jobs, single model calls. What was said is not here."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from tellonce_server.domain.dependencies import Dependencies

BATCH: Final = 500
"""Rows that go in one transaction: some 20 ms, and nobody waits for them."""
PAUSE_SECONDS: Final = 0.02
"""Between batches, so that a first round over years does not fill the disk's queue."""

LOCK: Final = 0x63_68_61_74_72_65_74_6E
"""Held by whoever prunes: another server beside it would only look at the same rows."""


class Retention:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def prune(self) -> int:
        """Let go of what is older than the settings say, batch by batch; how many rows. 0 while another server does."""
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
