"""A connection to the memory that can fail or lose answers."""

import asyncio
from typing import Any, cast

from tellonce.client import MemoryClient, MemoryUnreachable
from tests.patience import HANGS


class Away:
    """Sits between the relay and the memory. The relay uses `client`; `refusals` counts the calls that failed because
    of the outage."""

    def __init__(self, real: MemoryClient, *, away: bool = False) -> None:
        self._real = real
        self.away = away
        self.lose_next_answer = False
        self.refusals = 0
        self._changed = asyncio.Condition()

    @property
    def client(self) -> MemoryClient:
        return cast(MemoryClient, self)

    async def refused(self, times: int) -> None:
        """Wait until that many calls have failed because of the outage."""
        async with asyncio.timeout(HANGS), self._changed:
            await self._changed.wait_for(lambda: self.refusals >= times)

    def __getattr__(self, name: str) -> Any:
        async def call(*args: object, **kwargs: object) -> object:
            if self.away:
                async with self._changed:
                    self.refusals += 1
                    self._changed.notify_all()
                raise MemoryUnreachable("no server")
            answer: object = await getattr(self._real, name)(*args, **kwargs)
            if self.lose_next_answer:
                self.lose_next_answer = False
                raise MemoryUnreachable("the answer was lost")
            return answer

        return call
