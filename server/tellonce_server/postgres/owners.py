"""Moves all data of one owner to another owner, in one transaction. No other process may use the database meanwhile.

A private chat has the same number as its user. The numbers of conversations are computed from the user's number. All
these numbers therefore change with the owner.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tellonce_sql import query


@dataclass(frozen=True)
class Held:
    """The amount of an owner's data. `kept` counts the tombstones and the entries of the cost ledger."""

    messages: int
    memories: int
    tokens: int
    kept: int

    @property
    def texts(self) -> int:
        return self.messages + self.memories


async def held(connection: Any, owner_id: int) -> Held:
    return Held(**await connection.fetchrow(query("owners.held"), owner_id))


async def move(connection: Any, former: int, heir: int) -> None:
    """Give all rows of `former` to `heir`, whose own rows are deleted."""
    async with _moving(connection, former, heir):
        await _clear(connection, heir)
        await connection.execute(query("owners.move"))


async def join(connection: Any, former: int, heir: int) -> None:
    """Remove `former`, whose messages and memories `heir` has imported. The tombstones and the model costs go to
    `heir`."""
    async with _moving(connection, former, heir):
        await connection.execute(query("owners.join"))
        await _clear(connection, former)


@asynccontextmanager
async def _moving(connection: Any, former: int, heir: int) -> AsyncGenerator[None]:
    async with connection.transaction():
        await connection.execute(query("owners.name"), former, heir)
        await connection.execute(query("owners.prepare"))
        yield
        await connection.execute(query("owners.take_tokens"), former, heir)
        await connection.execute(query("owners.settle"))


async def _clear(connection: Any, owner_id: int) -> None:
    for row in await connection.fetch(query("owners.clear"), owner_id):
        await connection.execute(row["statement"])
