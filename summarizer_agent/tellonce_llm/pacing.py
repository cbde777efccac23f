"""Reads an asynchronous iterator with a limit on each wait."""

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

T = TypeVar("T")


async def paced(source: AsyncIterator[T], seconds: float) -> AsyncIterator[T]:
    """The same items. Raises TimeoutError if the next one takes longer than `seconds`."""
    while True:
        try:
            async with asyncio.timeout(seconds):
                item = await anext(source)
        except StopAsyncIteration:
            return
        yield item
