"""The interface of all embedders. This module depends on no particular model."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any, Protocol

from pgvector import HalfVector

from tellonce_server.store.codes import ModelVector

Vector = Sequence[float]
Similarity = Callable[[str, str], float]
"""A function that returns the cosine of two texts."""


@dataclass(frozen=True)
class Layers:
    """Two layers of the local model for one text."""

    final: Vector
    """The text's unit vector, as returned by `embed`."""
    early: Vector
    """The mean of the text's token vectors after the early layer. The vector is not scaled to length one."""


class EmbeddingUnavailable(Exception):
    """No embedding is possible now (still loading, no model, provider down). The caller uses words alone."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str: ...

    @property
    def mean(self) -> Vector:
        """The mean of the model's vectors. A bit of a sign code is 1 above this mean."""
        ...

    @property
    def ready(self) -> bool: ...

    @property
    def state(self) -> dict[str, Any]:
        """The state for the health page: `model`, `ready`, `bytes` and `total` of a download, and `failed`."""
        ...

    async def run(self) -> None:
        """Make the embedder ready and keep it ready. Runs in the background until cancelled."""
        ...

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """One vector per text. Urgent texts (queries) come first and never wait for a model to load. Raises
        EmbeddingUnavailable."""
        ...

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        """Both layers of each text. Only the local model has layers. Urgent texts come first and are cached like
        queries. Raises EmbeddingUnavailable."""
        ...


class NoEmbedder:
    """The embedder that is used if dense search is off."""

    model = "none"
    mean: Vector = ()
    ready = False

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": False, "bytes": 0, "total": 0, "failed": "switched off"}

    async def run(self) -> None:
        """Wait until cancelled, because nothing needs to run."""
        await asyncio.Event().wait()

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        raise EmbeddingUnavailable("TELLONCE_EMBEDDINGS is none")

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        raise EmbeddingUnavailable("TELLONCE_EMBEDDINGS is none")


async def vectors_or_none(embedder: Embedder, texts: Sequence[str]) -> list[Vector] | None:
    """One vector per text; None if no embedder is available. The caller then uses words alone."""
    try:
        return await embedder.embed(texts, urgent=True)
    except EmbeddingUnavailable:
        return None


async def similarity_of(embedder: Embedder, texts: Sequence[str]) -> Similarity | None:
    """The cosines of these texts, or None without an embedder. Any other text has the cosine 0."""
    vectors = await vectors_or_none(embedder, texts)
    known = dict(zip(texts, vectors, strict=True)) if vectors is not None else {}

    def cosine(one: str, other: str) -> float:
        a, b = known.get(one), known.get(other)
        return sum(map(mul, a, b)) if a is not None and b is not None else 0.0

    return cosine if vectors is not None else None


async def vector_or_none(embedder: Embedder, text: str) -> HalfVector | None:
    """Return the text's vector in PostgreSQL's form; None if no embedder is available."""
    model, vectors = embedder.model, await vectors_or_none(embedder, [text])
    return ModelVector(vectors[0], model) if vectors is not None else None
