"""A connection to the memory that can fail or lose answers."""

import asyncio
from collections import Counter
from typing import Any, cast

from tellonce.client import MemoryClient, MemoryUnreachable
from tests.patience import HANGS


class InterruptibleMemory:
    """A connection between the relay and the memory. A test can interrupt the connection. The relay uses `client`. For
    each tool, `refused_calls` counts the calls that failed because of the outage."""

    def __init__(self, real: MemoryClient, *, away: bool = False) -> None:
        self._real = real
        self.away = away
        self.lose_next_answer = False
        self.refused_calls: Counter[str] = Counter()
        self._changed = asyncio.Condition()

    @property
    def client(self) -> MemoryClient:
        return cast(MemoryClient, self)

    @property
    def refusals(self) -> int:
        return self.refused_calls.total()

    async def refused(self, times: int, tool: str | None = None) -> None:
        """Wait until `times` calls have failed because of the outage. If `tool` is given, only its calls count."""
        async with asyncio.timeout(HANGS), self._changed:
            await self._changed.wait_for(lambda: (self.refused_calls[tool] if tool else self.refusals) >= times)

    def __getattr__(self, name: str) -> Any:
        async def call(*args: object, **kwargs: object) -> object:
            if self.away:
                async with self._changed:
                    self.refused_calls[name] += 1
                    self._changed.notify_all()
                raise MemoryUnreachable("no server")
            answer: object = await getattr(self._real, name)(*args, **kwargs)
            if self.lose_next_answer:
                self.lose_next_answer = False
                raise MemoryUnreachable("the answer was lost")
            return answer

        return call
