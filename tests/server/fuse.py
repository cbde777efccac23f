"""Simulates a crash between any two statements. A `Fuse` raises an error ("blows") before or after the nth statement,
inside or outside a transaction."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg
import pytest

from tellonce_server.store.database import Database, Transaction

METHODS = ("rows", "row", "value", "run")


class Unplugged(asyncpg.ConnectionDoesNotExistError):
    """The simulated crash, which looks like a dead connection."""


class Fuse:
    """Lets all statements pass until the fuse is set. Then it can blow at two points of each statement: before the
    statement is sent, and after PostgreSQL has answered it."""

    def __init__(self) -> None:
        self._left: int | None = None

    @contextmanager
    def set(self, points: int) -> Iterator[None]:
        """Make the fuse blow at that point and at every later point."""
        self._left = points
        try:
            yield
        finally:
            self._left = None

    def point(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                raise Unplugged("the test pulled the plug")


def fit(fuse: Fuse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Route every statement of every database of this process through the fuse."""
    for kind in (Database, Transaction):
        for name in METHODS:
            monkeypatch.setattr(kind, name, _fused(fuse, getattr(kind, name)))
    begin = Database.transaction

    @asynccontextmanager
    async def transaction(self: Database) -> AsyncGenerator[Transaction]:
        async with begin(self) as t:
            yield t
            fuse.point()  # all statements were sent, nothing is committed
        fuse.point()  # committed, but the caller gets no answer

    monkeypatch.setattr(Database, "transaction", transaction)


def _fused(fuse: Fuse, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def fused(self: Any, name: str, *args: Any) -> Any:
        fuse.point()
        answer = await method(self, name, *args)
        fuse.point()
        return answer

    return fused
