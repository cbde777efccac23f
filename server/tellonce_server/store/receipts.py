"""Receipts: records of exactly what a context contained, and why."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tellonce_server.core.scope import ChatId, MessageId, OwnerId
from tellonce_server.store.database import Queries
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
    """Store the receipt if the owner's count of erasures is still `erasures`. If the count has changed, text was erased
    after the context was read."""
    await q.run("receipts.add", *arguments("receipts.add", {**vars(r), "erasures": erasures}))


find = MaybeRow[[OwnerId, str], Receipt]("receipts.find", named(Receipt))
of_message = Rows[[OwnerId, ChatId, MessageId], str]("receipts.of_message", column("id"))
erase_all = Run[[OwnerId]]("receipts.erase_all")
drop_old = Value[[datetime, int], int]("retention.old_receipts")
drop_surplus = Value[[int, int], int]("retention.surplus_receipts")
