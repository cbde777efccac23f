"""Writes the receipts of contexts in the background, after the contexts were returned. This module does not read what
the receipts contain."""

import asyncio
import logging
from typing import Final

from tellonce_server.core.errors import DATABASE_ERRORS, DATABASE_FAILURES
from tellonce_server.store import receipts
from tellonce_server.store.database import Database
from tellonce_server.store.receipts import Receipt

logger = logging.getLogger(__name__)

MOST_PENDING: Final = 64
"""Maximum pending receipts. When this many receipts are pending, the next context waits until the oldest of them is
written."""


class ReceiptKeeper:
    """Writes receipts in the background. If the process is killed, only the receipts still pending are lost."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: dict[str, asyncio.Task[None]] = {}

    async def keep(self, receipt: Receipt, erasures: int) -> None:
        """Start to write the receipt. The receipt is dropped if the owner's number of erasures is no longer `erasures`,
        that is, if something was erased after the context was read."""
        while len(self._pending) >= MOST_PENDING:
            await self.written(next(iter(self._pending)))
        self._pending[receipt.id] = asyncio.create_task(self._write(receipt, erasures))

    async def written(self, receipt_id: str | None = None) -> None:
        """Wait until the receipt is written; without an id, until all receipts pending now are written."""
        wanted = self._pending if receipt_id is None else {receipt_id: self._pending.get(receipt_id)}
        await asyncio.gather(*(task for task in wanted.values() if task is not None))

    async def _write(self, receipt: Receipt, erasures: int) -> None:
        try:
            await receipts.add(self._database, receipt, erasures)
        except DATABASE_FAILURES as error:
            DATABASE_ERRORS.noted(error)
        except Exception:
            # The context has already been returned, so the error can only be logged.
            logger.exception("receipt %s could not be stored", receipt.id)
        finally:
            del self._pending[receipt.id]
