"""What the server asks of whoever embeds text; knows no model."""

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]


class EmbeddingUnavailable(Exception):
    """Nobody can embed now (still loading, no model, provider down): go on by words alone."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def mean(self) -> Vector:
        """The mean of the model's vectors: what sign codes are taken against."""
        ...

    @property
    def ready(self) -> bool: ...

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """One vector a text. Urgent ones (queries) go before background ones.

        Raises:
            EmbeddingUnavailable: at once when `urgent` and not ready; nobody waits for a model to load.
        """
        ...


class NoEmbedder:
    """Dense search is switched off."""

    model = "none"
    dimensions = 384
    mean: Vector = ()
    ready = False

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        raise EmbeddingUnavailable("CHATMEM_EMBEDDINGS is none")
