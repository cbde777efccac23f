"""Finds the user's sentences worth keeping, in the form for a worker."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from tellonce.work import NotableSentence, WorkMessage
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, Vector

MOST_KEPT: Final = 24
"""Earlier notes that new sentences are compared with."""


class Scorer:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._keeper = Keeper(embedder)

    async def notable(self, messages: Sequence[WorkMessage], kept: Sequence[str] = ()) -> list[NotableSentence]:
        """The notable sentences; none without the local model. `kept` are the earlier notes most similar to the
        messages."""
        if not messages:
            return []
        found = await self._keeper.notable(messages, await self._vectors(kept[:MOST_KEPT]))
        return [NotableSentence(**asdict(sentence)) for sentence in found]

    async def _vectors(self, texts: Sequence[str]) -> Sequence[Vector]:
        try:
            return await self._embedder.embed(texts, urgent=True) if texts else []
        except EmbeddingUnavailable:
            return []
