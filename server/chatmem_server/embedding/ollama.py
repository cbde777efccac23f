"""Embeddings by an Ollama server; every vector is checked, for its client passes anything through."""

import math
from collections.abc import Sequence
from typing import Any

import httpx
from ollama import AsyncClient, ResponseError

from chatmem_server.embedding.protocol import EmbeddingUnavailable, Vector

SECONDS = 10.0
DIMENSIONS = 384


class OllamaEmbedder:
    """`mean` is zero: the codes of a model we have not measured are its plain signs."""

    dimensions = DIMENSIONS
    mean: Vector = (0.0,) * DIMENSIONS
    ready = True

    def __init__(self, url: str, model: str) -> None:
        self.model = f"ollama:{model}"
        self._name = model
        self._client = AsyncClient(host=url, timeout=SECONDS, trust_env=False)

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": True, "bytes": 0, "total": 0, "failed": None}

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        try:
            answer = await self._client.embed(self._name, list(texts))
        except (ResponseError, httpx.HTTPError, ConnectionError, ValueError) as error:
            raise EmbeddingUnavailable(f"Ollama does not embed: {error}") from error
        vectors = [list(vector) for vector in answer.embeddings]
        if len(vectors) != len(texts) or not all(_sound(vector) for vector in vectors):
            raise EmbeddingUnavailable(f"{self._name} gave no sound vectors of {DIMENSIONS} dimensions")
        return [_unit(vector) for vector in vectors]

    async def run(self) -> None:
        """Nothing to load here."""


def _sound(vector: Sequence[float]) -> bool:
    return len(vector) == DIMENSIONS and all(map(math.isfinite, vector)) and any(vector)


def _unit(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector)
    return [x / length for x in vector]
