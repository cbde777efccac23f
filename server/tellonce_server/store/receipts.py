"""Receipts: records of exactly what a context contained, and why."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tellonce_server.store.database import Queries


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
    """Store the receipt, unless text of the owner was erased after the context was read. `erasures` is the owner's
    count of erasures when the context was read."""
    await q.run(
        "receipts.add",
        *(r.owner_id, r.chat_id, r.id, r.thread_key, r.message_id, r.token_budget, r.tokens, r.truncated),
        *(r.as_of, r.sections, r.included, r.left_out, r.created_at, erasures),
    )


async def find(q: Queries, owner_id: int, receipt_id: str) -> Receipt | None:
    row = await q.row("receipts.find", owner_id, receipt_id)
    return Receipt(**row) if row is not None else None


async def of_message(q: Queries, owner_id: int, chat_id: int, message_id: int) -> list[str]:
    return [row["id"] for row in await q.rows("receipts.of_message", owner_id, chat_id, message_id)]


async def erase_all(q: Queries, owner_id: int) -> int:
    """Erase all receipts of the owner and return their number."""
    return await q.run("receipts.erase_all", owner_id)


async def drop_old(q: Queries, before: datetime, limit: int) -> int:
    """Delete at most `limit` receipts made before `before`. Returns their number."""
    return int(await q.value("retention.old_receipts", before, limit))


async def drop_surplus(q: Queries, kept: int, limit: int) -> int:
    """Delete at most `limit` receipts of chats with more than `kept` newer ones. Returns their number."""
    return int(await q.value("retention.surplus_receipts", kept, limit))
