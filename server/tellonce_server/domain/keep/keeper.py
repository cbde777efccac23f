"""Finds what is worth keeping in messages, with the local model that is loaded anyway; without it, nothing."""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

from tellonce_server.domain.keep.choice import WISH, NotableSentence, Scored, choose
from tellonce_server.domain.keep.features import features
from tellonce_server.domain.keep.heads import heads
from tellonce_server.domain.keep.orders import is_order
from tellonce_server.domain.keep.sentences import Sentence, sentences
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, Layers, Vector

MOST_READ: Final = 60
"""Sentences of one message that are scored, from its beginning and its end: at most 0.2 s a message."""


class Message(Protocol):
    """What is read of a message; `tellonce.work.WorkMessage` is one."""

    @property
    def id(self) -> int: ...

    @property
    def role(self) -> str: ...

    @property
    def speaker(self) -> str | None: ...

    @property
    def text(self) -> str: ...

    @property
    def routine(self) -> str | None: ...


class Keeper:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def notable(self, messages: Sequence[Message], kept_vectors: Sequence[Vector] = ()) -> list[NotableSentence]:
        """What the user said in these messages that is worth keeping, verbatim and in order; nothing without the model.

        `kept_vectors`: unit vectors of the notes kept before that are most like the messages; some dozens, not all.
        """
        own = [message for message in messages if message.role == "user" and not (message.speaker or message.routine)]
        read = await asyncio.to_thread(_read, own)
        try:
            layers = await self._embedder.layers([sentence.text for _, sentence in read])
        except EmbeddingUnavailable:
            return []
        return await asyncio.to_thread(_chosen, read, layers, kept_vectors)

    async def score(self, texts: Sequence[str]) -> list[float]:
        """Of sentences that stand alone: the log-odds that each is worth keeping; nothing without the model."""
        try:
            layers = await self._embedder.layers(texts)
        except EmbeddingUnavailable:
            return []
        return await asyncio.to_thread(_scores, [Sentence(text) for text in texts], layers)

    async def is_wish(self, text: str) -> bool:
        """Whether a statement is rather a like or a wish than a fact or an event; not known without the model."""
        try:
            layers = await self._embedder.layers([text], urgent=True)
        except EmbeddingUnavailable:
            return False
        return is_order(text) or heads().wish(layers[0], features(Sentence(text))) >= WISH


def _read(messages: Sequence[Message]) -> list[tuple[int, Sentence]]:
    return [(message.id, sentence) for message in messages for sentence in _some(sentences(message.text))]


def _some(found: list[Sentence]) -> list[Sentence]:
    half = MOST_READ // 2
    return found if len(found) <= MOST_READ else [*found[:half], *found[-half:]]


def _scores(read: Sequence[Sentence], layers: Sequence[Layers]) -> list[float]:
    keep = heads().keep
    return [keep(layer, features(sentence)) for sentence, layer in zip(read, layers, strict=True)]


def _chosen(
    read: Sequence[tuple[int, Sentence]], layers: Sequence[Layers], kept: Sequence[Vector]
) -> list[NotableSentence]:
    return choose([_scored(*one, layer) for one, layer in zip(read, layers, strict=True)], kept)


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
