"""Writes the receipts of contexts after these were answered, so that nobody waits for them; knows nothing of what they hold."""

import asyncio
import logging
from typing import Final

from tellonce_server.core.db_errors import AWAY, OUTAGES
from tellonce_server.store import receipts
from tellonce_server.store.database import Database
from tellonce_server.store.receipts import Receipt

logger = logging.getLogger(__name__)

MOST_PENDING: Final = 64
"""Receipts that may wait to be written; the next context waits for the oldest of them."""


class ReceiptKeeper:
    """A process that dies loses the receipts of its last moments, and nothing else."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: dict[str, asyncio.Task[None]] = {}

    async def keep(self, receipt: Receipt, erasures: int) -> None:
        """Write it soon, unless something of the owner's was erased since there were `erasures`."""
        while len(self._pending) >= MOST_PENDING:
            await self.written(next(iter(self._pending)))
        self._pending[receipt.id] = asyncio.create_task(self._write(receipt, erasures))

    async def written(self, receipt_id: str | None = None) -> None:
        """Returns once the receipt is not pending any more; without an id, once none is that is pending now."""
        wanted = self._pending if receipt_id is None else {receipt_id: self._pending.get(receipt_id)}
        await asyncio.gather(*(task for task in wanted.values() if task is not None))

    async def _write(self, receipt: Receipt, erasures: int) -> None:
        try:
            await receipts.add(self._database, receipt, erasures)
        except AWAY as error:
            OUTAGES.noted(error)
        except Exception:
            # The edge of a piece of work nobody waits for: its context was answered already.
            logger.exception("receipt %s could not be kept", receipt.id)
        finally:
            del self._pending[receipt.id]
