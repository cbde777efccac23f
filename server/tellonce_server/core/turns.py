"""Limits how many calls of one user run at the same time. The calls of other users therefore do not wait until hundreds
of calls of one user are answered."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

MOST: Final = 6
"""Maximum number of calls of one user at the same time: half the number of database connections. Further calls wait in
order."""


@dataclass
class _Turn:
    semaphore: asyncio.Semaphore
    held: bool = True


_CURRENT: Final[ContextVar[_Turn | None]] = ContextVar("turn", default=None)


class Turns:
    def __init__(self) -> None:
        self._of: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, user_id: int | None) -> AsyncGenerator[None]:
        """Wait for the user's turn and hold it during the block. Without a user, there is no limit: the relay has no
        user, because it makes the calls of many users."""
        if user_id is None:
            yield
            return
        semaphore = self._of.setdefault(user_id, asyncio.Semaphore(MOST))
        await semaphore.acquire()
        turn = _Turn(semaphore)
        token = _CURRENT.set(turn)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            if turn.held:
                semaphore.release()


@asynccontextmanager
async def outside_turn() -> AsyncGenerator[None]:
    """Give up the turn of this call during the block, because the block waits for a person. Other calls may use the
    turn."""
    turn = _CURRENT.get()
    if turn is None:
        yield
        return
    turn.held = False
    turn.semaphore.release()
    yield
    await turn.semaphore.acquire()
    turn.held = True
