"""The local model: fetched and loaded in the background, computed in a thread of its own, queries before backlog."""

import asyncio
import importlib
import json
import logging
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatmem_server.embedding.model_files import (
    GRAPH,
    MEAN,
    MODEL,
    TOKENIZER,
    ModelFilesUnavailable,
    fetch,
)
from chatmem_server.embedding.protocol import EmbeddingUnavailable, Vector

logger = logging.getLogger(__name__)

BATCH = 8
"""Texts of one background step: what a query may have to wait for, about 25 ms."""

CACHED = 2048
"""Texts whose vectors are kept: a question is embedded once, however often it is asked."""


@dataclass(order=True)
class _Job:
    """Urgent jobs first, then in the order they came."""

    rank: int
    number: int
    texts: Sequence[str] = field(compare=False)
    done: "asyncio.Future[list[Vector]]" = field(compare=False)


class LocalEmbedder:
    """Until `run` has fetched and loaded the model, `ready` is False and urgent texts are refused at once."""

    model = MODEL
    dimensions = 384

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session: Any = None
        self._mean: Vector = ()
        self._jobs: asyncio.PriorityQueue[_Job] = asyncio.PriorityQueue()
        self._numbers = 0
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._progress = (0, 0)
        self._failed: str | None = None

    @property
    def ready(self) -> bool:
        return self._session is not None

    @property
    def mean(self) -> Vector:
        return self._mean

    @property
    def state(self) -> dict[str, Any]:
        """For the health page: how far the files are, or why there are none."""
        done, total = self._progress
        return {"model": self.model, "ready": self.ready, "bytes": done, "total": total, "failed": self._failed}

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """Raises EmbeddingUnavailable while the model is not loaded."""
        if not self.ready:
            raise EmbeddingUnavailable(self._failed or "the embedding model is not loaded yet")
        known = [self._cache.get(text) for text in texts] if urgent else []
        if urgent and all(vector is not None for vector in known):
            return [vector for vector in known if vector is not None]
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += await self._submit(texts[start : start + BATCH], urgent)
        if urgent:
            self._keep(texts, vectors)
        return vectors

    async def run(self) -> None:
        """Fetch, load, then compute what is asked for, until cancelled."""
        with ThreadPoolExecutor(1, thread_name_prefix="embedding") as thread:
            loop = asyncio.get_running_loop()
            try:
                await fetch(self._folder, self._note)
                self._session = await loop.run_in_executor(thread, self._load)
            except (ModelFilesUnavailable, OSError, ValueError) as error:
                self._failed = str(error)
                logger.warning("no embeddings: %s", error)
                return
            while True:
                job = await self._jobs.get()
                if job.done.cancelled():
                    continue
                try:
                    vectors = await loop.run_in_executor(thread, self._session.embed, list(job.texts))
                except asyncio.CancelledError:
                    job.done.cancel()
                    raise
                if not job.done.cancelled():
                    job.done.set_result(vectors)

    def _load(self) -> Any:
        # The one late import: onnxruntime, numpy and tokenizers take a second that no handshake should wait for.
        session = importlib.import_module("chatmem_server.embedding.session")
        self._mean = json.loads((self._folder / MEAN).read_text())
        return session.Session(self._folder / GRAPH, self._folder / TOKENIZER)

    async def _submit(self, texts: Sequence[str], urgent: bool) -> list[Vector]:
        self._numbers += 1
        job = _Job(0 if urgent else 1, self._numbers, texts, asyncio.get_running_loop().create_future())
        self._jobs.put_nowait(job)
        return await job.done

    def _keep(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        for text, vector in zip(texts, vectors, strict=True):
            self._cache[text] = vector
            self._cache.move_to_end(text)
        while len(self._cache) > CACHED:
            self._cache.popitem(last=False)

    def _note(self, done: int, total: int) -> None:
        self._progress = (done, total)
