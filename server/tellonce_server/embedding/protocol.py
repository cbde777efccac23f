"""What the server asks of whoever embeds text; knows no model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Vector = Sequence[float]


@dataclass(frozen=True)
class Layers:
    """One text as two layers of the local model see it."""

    final: Vector
    """The text's unit vector, as `embed` gives it."""
    early: Vector
    """The mean of its tokens after the early layer, of any length."""


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

    @property
    def state(self) -> dict[str, Any]:
        """For the health page: `model`, `ready`, `bytes` and `total` of a download, `failed`."""
        ...

    async def run(self) -> None:
        """Whatever it takes to become ready and stay so; runs beside the server until cancelled."""
        ...

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """One vector a text. Urgent ones (queries) go before background ones.

        Raises:
            EmbeddingUnavailable: at once when `urgent` and not ready; nobody waits for a model to load.
        """
        ...

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        """Both layers of each text; only the local model has them. Urgent ones go before background ones, and their
        vectors are remembered as those of queries are.

        Raises:
            EmbeddingUnavailable: at once when the model is another one, or not ready.
        """
        ...


class NoEmbedder:
    """Dense search is switched off."""

    model = "none"
    dimensions = 384
    mean: Vector = ()
    ready = False

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": False, "bytes": 0, "total": 0, "failed": "switched off"}

    async def run(self) -> None:
        """Nothing to do."""

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        raise EmbeddingUnavailable("TELLONCE_EMBEDDINGS is none")

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        raise EmbeddingUnavailable("TELLONCE_EMBEDDINGS is none")
