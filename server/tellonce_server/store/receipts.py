"""Receipts: records of exactly what a context contained, and why. They are written in the background, after the
contexts were returned."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tellonce_server.core.errors import DATABASE_ERRORS, DATABASE_FAILURES
from tellonce_server.core.scope import ChatId, MessageId, OwnerId
from tellonce_server.store.database import Database, Queries
from tellonce_server.store.named_queries import MaybeRow, Rows, Run, Value, column, named
from tellonce_sql import arguments


@dataclass(frozen=True)
class Receipt:
    owner_id: int
    chat_id: int
    id: str
    thread_key: str
    message_id: int | None
    token_budget: int
    tokens: int
    truncated: bool
    as_of: datetime | None
    sections: list[dict[str, Any]]
    included: dict[str, list[int]]
    left_out: list[str]
    created_at: datetime


async def add(q: Queries, r: Receipt, erasures: int) -> None:
    """Store the receipt, unless text was erased while its context was built. `erasures` is the owner's number of
    erasures when the context was read."""
    await q.run("receipts.add", *arguments("receipts.add", {**vars(r), "erasures": erasures}))


find = MaybeRow[[OwnerId, str], Receipt]("receipts.find", named(Receipt))
of_message = Rows[[OwnerId, ChatId, MessageId], str]("receipts.of_message", column("id"))
erase_all = Run[[OwnerId]]("receipts.erase_all")
drop_old = Value[[datetime, int], int]("retention.old_receipts")
drop_surplus = Value[[int, int], int]("retention.surplus_receipts")


logger = logging.getLogger(__name__)

MOST_PENDING: Final = 64
"""Maximum pending receipts. The next context then waits until the oldest is written."""

CONNECTIONS: Final = 3
"""Maximum connections that write receipts at the same time. The other connections serve calls."""


class ReceiptKeeper:
    """Writes receipts in the background. If the process is killed, only the receipts that are not written yet are lost."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._connections = asyncio.Semaphore(CONNECTIONS)

    async def keep(self, receipt: Receipt, erasures: int) -> None:
        """Start to write the receipt. It is dropped if the owner's count of erasures is no longer `erasures`."""
        while len(self._pending) >= MOST_PENDING:
            await self.written(next(iter(self._pending)))
        self._pending[receipt.id] = asyncio.create_task(self._write(receipt, erasures))

    async def written(self, receipt_id: str | None = None) -> None:
        """Wait until the receipt is written. Without an id, wait for all pending receipts."""
        wanted = self._pending if receipt_id is None else {receipt_id: self._pending.get(receipt_id)}
        await asyncio.gather(*(task for task in wanted.values() if task is not None))

    async def _write(self, receipt: Receipt, erasures: int) -> None:
        try:
            async with self._connections:
                await add(self._database, receipt, erasures)
        except DATABASE_FAILURES as error:
            DATABASE_ERRORS.noted(error)
        except Exception:
            # The context has already been returned, so the error can only be logged.
            logger.exception("receipt %s could not be stored", receipt.id)
        finally:
            del self._pending[receipt.id]
