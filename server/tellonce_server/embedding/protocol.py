"""The interface of embedders. Knows no model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pgvector import HalfVector

from tellonce_server.store.codes import ModelVector

Vector = Sequence[float]


@dataclass(frozen=True)
class Layers:
    """Two layers of the local model for one text."""

    final: Vector
    """The text's unit vector, as returned by `embed`."""
    early: Vector
    """The mean of its tokens after the early layer, of any length."""


class EmbeddingUnavailable(Exception):
    """No embedding is possible now (still loading, no model, provider down); use words alone."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def mean(self) -> Vector:
        """The mean of the model's vectors, relative to which sign codes are computed."""
        ...

    @property
    def ready(self) -> bool: ...

    @property
    def state(self) -> dict[str, Any]:
        """The state for the health page: `model`, `ready`, `bytes` and `total` of a download, and `failed`."""
        ...

    async def run(self) -> None:
        """Become ready and stay so; runs in the background until cancelled."""
        ...

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """One vector per text. Urgent ones (queries) go before background ones.

        Raises: EmbeddingUnavailable: at once if `urgent` and not ready, because nobody waits for a model to load.
        """
        ...

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        """Both layers of each text; only the local model has them. Urgent ones go before background ones, and their
        vectors are cached like those of queries.

        Raises: EmbeddingUnavailable: at once if another model is in use, or not ready.
        """
        ...


class NoEmbedder:
    """The embedder if dense search is off."""

    model = "none"
    dimensions = 384
    mean: Vector = ()
    ready = False

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": False, "bytes": 0, "total": 0, "failed": "switched off"}

    async def run(self) -> None:
        """Return at once, because nothing needs to run."""

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        raise EmbeddingUnavailable("TELLONCE_EMBEDDINGS is none")

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        raise EmbeddingUnavailable("TELLONCE_EMBEDDINGS is none")


async def vector_or_none(embedder: Embedder, text: str) -> HalfVector | None:
    """The vector in PostgreSQL's form, or None if no embedder is available; the caller then uses words alone."""
    try:
        model, vectors = embedder.model, await embedder.embed([text], urgent=True)
    except EmbeddingUnavailable:
        return None
    return ModelVector(vectors[0], model)
