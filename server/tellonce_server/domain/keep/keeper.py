"""Uses the local embedding model to find the sentences that are worth keeping."""

import asyncio
from collections.abc import Sequence
from typing import Final

from tellonce.work import NotableSentence, WorkMessage
from tellonce_server.core.limits import paced
from tellonce_server.domain.keep.choice import WISH, Scored, choose, is_order
from tellonce_server.domain.keep.heads import heads
from tellonce_server.domain.keep.sentences import Sentence, features, sentences
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, Layers, Vector, vectors_or_none

MOST_READ: Final = 60
"""Maximum scored sentences per message, half from its start and half from its end. Scoring takes at most 0.2 s."""

MOST_KEPT: Final = 24
"""Maximum earlier notes that are compared with new sentences."""


class Keeper:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def notable(self, messages: Sequence[WorkMessage], kept: Sequence[str] = ()) -> list[NotableSentence]:
        """The user's sentences worth keeping, verbatim and in order. Empty while the model is not loaded. `kept` are
        the earlier notes most similar to the messages."""
        own = [message for message in messages if message.role == "user" and not (message.speaker or message.routine)]
        read = await asyncio.to_thread(_read, own)
        try:
            layers = await self._embedder.layers([sentence.text for _, sentence in read])
        except EmbeddingUnavailable:
            return []
        known = await vectors_or_none(self._embedder, kept[:MOST_KEPT]) if kept else []
        return await asyncio.to_thread(_chosen, read, layers, known or [])

    async def is_wish(self, text: str) -> bool:
        """Whether a statement is a preference or wish. False while the model is not loaded."""
        try:
            layers = await self._embedder.layers([text], urgent=True)
        except EmbeddingUnavailable:
            return False
        return is_order(text) or heads().wish(layers[0], features(Sentence(text))) >= WISH


def _read(messages: Sequence[WorkMessage]) -> list[tuple[int, Sentence]]:
    return [(message.id, sentence) for message in paced(messages) for sentence in _some(sentences(message.text))]


def _some(found: list[Sentence]) -> list[Sentence]:
    half = MOST_READ // 2
    return found if len(found) <= MOST_READ else [*found[:half], *found[-half:]]


def _chosen(
    read: Sequence[tuple[int, Sentence]], layers: Sequence[Layers], kept: Sequence[Vector]
) -> list[NotableSentence]:
    return choose([_scored(*one, layer) for one, layer in paced(zip(read, layers, strict=True))], kept)


def _scored(message_id: int, sentence: Sentence, layers: Layers) -> Scored:
    trained, seen = heads(), features(sentence)
    return Scored(
        message_id,
        sentence,
        layers.final,
        trained.keep(layers, seen),
        trained.wish(layers, seen),
        trained.dangling(layers, seen),
    )
