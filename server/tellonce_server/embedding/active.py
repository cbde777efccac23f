"""The embedder that speaks the language of the stored vectors, and changes when `tellonce reembed` changes them."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from tellonce_server.embedding.protocol import Embedder, Layers, NoEmbedder, Vector


class ActiveEmbedder:
    """At first the one the settings ask for; `follow` makes it that of the database's active model.

    The settings' model counts for a memory without vectors and for `reembed`. Where embeddings are switched off, they
    stay so. A vector bears its model's name to the database, which takes no other's: so a change needs no agreement
    between processes.
    """

    def __init__(self, configured: Embedder, named: Callable[[str], Embedder]) -> None:
        self._current = configured
        self._named = named
        self._off = isinstance(configured, NoEmbedder)
        self._changed = asyncio.Event()

    @property
    def model(self) -> str:
        return self._current.model

    @property
    def dimensions(self) -> int:
        return self._current.dimensions

    @property
    def mean(self) -> Vector:
        return self._current.mean

    @property
    def ready(self) -> bool:
        return self._current.ready

    @property
    def state(self) -> dict[str, Any]:
        return self._current.state

    @property
    def off(self) -> bool:
        """Whether the settings want no embeddings."""
        return self._off

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        return await self._current.embed(texts, urgent=urgent)

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        return await self._current.layers(texts, urgent=urgent)

    async def run(self) -> None:
        """Run whoever embeds now, until cancelled."""
        while True:
            self._changed.clear()
            running, changed = asyncio.create_task(self._current.run()), asyncio.create_task(self._changed.wait())
            try:
                await asyncio.wait({running, changed}, return_when=asyncio.FIRST_COMPLETED)
                if running.done():
                    running.result()  # its failure is ours
                await changed
            finally:
                running.cancel()
                changed.cancel()
                await asyncio.gather(running, changed, return_exceptions=True)

    def follow(self, active: str | None) -> None:
        """Change to the model of that name, if it is not the one at work."""
        if not self._off and active is not None and active != self._current.model:
            self._current = self._named(active)
            self._changed.set()
