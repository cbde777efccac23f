"""Embeddings by an Ollama server. Every vector is checked here, because Ollama's client does not check vectors."""

import asyncio
import logging
import math
from collections.abc import Sequence
from typing import Any

import httpx
from ollama import AsyncClient, ResponseError

from tellonce_server.embedding.protocol import EmbeddingUnavailable, Layers, Vector
from tellonce_server.embedding.question_cache import VectorCache
from tellonce_text.secrets import mask

logger = logging.getLogger(__name__)

QUERY_SECONDS = 1.0
"""Maximum number of seconds for embedding a question. After this time, the search uses words alone."""

SECONDS = 60.0
"""Maximum number of seconds for a batch of the backlog, or for the first answer while Ollama loads the model."""

PROBE_SECONDS = 15.0
DIMENSIONS = 384


class OllamaEmbedder:
    """Embeds with an Ollama server. The embedder is `ready` from the server's first answer until a failure.

    After a failure, `run` retries in the background, so that no question waits. The model's mean was not measured, so
    `mean` is zero: a sign code contains the signs of the vector itself.
    """

    mean: Vector = (0.0,) * DIMENSIONS

    def __init__(self, url: str, model: str) -> None:
        self.model = f"ollama:{model}"
        self._name = model
        self._client = AsyncClient(host=url, timeout=SECONDS, trust_env=False)
        self._cache = VectorCache()
        self._failed: str | None = "not asked yet"

    @property
    def ready(self) -> bool:
        return self._failed is None

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": self.ready, "bytes": 0, "total": 0, "failed": self._failed}

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """One unit vector per text. Secrets are masked before a text is sent to Ollama.

        Raises EmbeddingUnavailable on any failure, and at once if `urgent` and not ready.
        """
        texts = [mask(text) for text in texts]
        if not urgent:
            return await self._ask(texts, SECONDS)
        if not self.ready:
            raise EmbeddingUnavailable(self._failed or "")
        return [await self._query(text) for text in texts]

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        raise EmbeddingUnavailable("only the local model returns its layers")

    async def run(self) -> None:
        """Poll the server until it answers, and again after each failure, until cancelled."""
        try:
            while True:
                await self._probe()
                await asyncio.sleep(PROBE_SECONDS)
        finally:
            await self._client.close()  # type: ignore[no-untyped-call]  # ollama leaves it without annotations

    async def _probe(self) -> None:
        if not self.ready:
            try:
                await self._ask(["ready?"], SECONDS)
            except EmbeddingUnavailable as error:
                logger.info("no embeddings for now: %s", error)

    async def _query(self, text: str) -> Vector:
        known = self._cache.get(text)
        if known is None:
            known = (await self._ask([text], QUERY_SECONDS))[0]
            self._cache.keep(text, known)
        return known

    async def _ask(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        try:
            vectors = await self._sound_answer(texts, seconds)
        except EmbeddingUnavailable as error:
            self._failed = str(error)
            raise
        self._failed = None
        return vectors

    async def _sound_answer(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        try:
            async with asyncio.timeout(seconds):
                answer = await self._client.embed(self._name, list(texts))
        except TimeoutError as error:
            raise EmbeddingUnavailable(f"Ollama did not embed within {seconds:g} s") from error
        except (ResponseError, httpx.HTTPError, ConnectionError, ValueError) as error:
            raise EmbeddingUnavailable(f"Ollama does not embed: {error}") from error
        vectors = [list(vector) for vector in answer.embeddings]
        if len(vectors) != len(texts) or not all(_sound(vector) for vector in vectors):
            raise EmbeddingUnavailable(
                f"{self._name} returned no valid vectors of {DIMENSIONS} dimensions: "
                "choose another model in OLLAMA_EMBEDDING_MODEL, for example all-minilm"
            )
        return [_unit(vector) for vector in vectors]


def _sound(vector: Sequence[float]) -> bool:
    return len(vector) == DIMENSIONS and all(map(math.isfinite, vector)) and any(vector)


def _unit(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector)
    return [x / length for x in vector]
