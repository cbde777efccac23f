"""Embeds the user's new message early, in the form of the question that will follow. Knows nothing of messages."""

import asyncio
from typing import Final

from tellonce_server.core.rate_limit import RateLimit
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable

MOST: Final = 2
"""Texts embedded at once."""

RATE: Final = 10.0
"""Sustained texts per second. A client that records faster is not waiting for answers."""

LONGEST: Final = 2_000
"""Maximum characters; nobody asks with a longer text."""


class Foresight:
    """Fills the embedder's cache of questions. A vector that is late or missing does no harm."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._under_way: set[asyncio.Task[None]] = set()
        self._rate = RateLimit(RATE)

    def expect(self, text: str) -> None:
        """Embed the text soon, because a question with it is likely. Returns at once."""
        if len(text) > LONGEST or len(self._under_way) >= MOST or not self._embedder.ready:
            return
        if not self._rate.wait(self._embedder.model):
            task = asyncio.create_task(self._embed(text))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _embed(self, text: str) -> None:
        try:
            await self._embedder.embed([text], urgent=True)
        except EmbeddingUnavailable:
            return
