"""A memory that can be taken away from the relay, and whose answers can be lost."""

import asyncio
from typing import Any, cast

from tellonce.client import MemoryClient, MemoryUnreachable
from tests.patience import HANGS


class Away:
    """Stands between the relay and the memory; `client` is what the relay is given. `refusals`: calls that found it away."""

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
        """Wait until so many calls found the memory away."""
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
