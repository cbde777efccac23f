"""The local model, which is loaded in the background. One thread embeds queries. A second thread embeds all other
texts."""

import asyncio
import importlib
import json
import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tellonce_server.embedding.model_files import GRAPH, MODEL, TOKENIZER, ModelFilesUnavailable, fetch
from tellonce_server.embedding.protocol import EmbeddingUnavailable, Layers, Vector
from tellonce_server.embedding.question_cache import VectorCache

logger = logging.getLogger(__name__)

MEAN = Path(__file__).with_name("mean.json")
"""The file with the mean vector of generated sentences. `training/mean.py` writes the file."""

MOST_WAITING = 64
"""Maximum number of waiting queries. Each takes a few milliseconds. Any further query is searched by words alone."""

FIRST_RETRY, LONGEST_RETRY = 60.0, 3600.0
"""Seconds to wait after a failed attempt to get the model's files. The wait doubles after each failure."""


class LocalEmbedder:
    """Refuses all texts until `run` has downloaded and loaded the model. `folder` belongs to the server. `source` is
    the user's folder with the model's files and is only read. Texts are computed one by one, because int8 scales of a
    batch would make a text's vector depend on the other texts."""

    model = MODEL

    def __init__(self, folder: Path, source: Path | None = None) -> None:
        self._folder = folder
        self._source = source
        self._session: Any = None
        self._mean: Vector = ()
        self._waiting = 0
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="query")
        self._patient = ThreadPoolExecutor(1, thread_name_prefix="backlog", initializer=_give_way)
        self._cache = VectorCache()
        self._asked: dict[str, asyncio.Future[None]] = {}
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
        """The state for the health page: the progress of the download, or the reason why the download failed."""
        done, total = self._progress
        return {"model": self.model, "ready": self.ready, "bytes": done, "total": total, "failed": self._failed}

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        """One unit vector per text. Raises EmbeddingUnavailable if the model is not loaded, or if too many queries
        wait."""
        return [await (self._query(text) if urgent else self._submit(self._patient, text)) for text in texts]

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        """Both layers of each text. The vector of an urgent text is cached for `embed`."""
        if not urgent:
            return [await self._submit(self._patient, text, "layers") for text in texts]
        found: list[Layers] = [await self._submit(self._quick, text, "layers") for text in texts]
        for text, layers in zip(texts, found, strict=True):
            self._cache.keep(text, layers.final)
        return found

    async def run(self) -> None:
        """Download and load the model, then serve requests until cancelled."""
        try:
            await self._become_ready()
            await asyncio.Event().wait()
        finally:
            self._session = None
            for thread in (self._quick, self._patient):
                thread.shutdown(wait=False, cancel_futures=True)

    async def _query(self, text: str) -> Vector:
        while text in self._asked:  # concurrent requests for the same text share one computation
            await asyncio.wait((self._asked[text],))
        if self.ready and (known := self._cache.get(text)) is not None:
            return known
        if self._waiting >= MOST_WAITING:
            raise EmbeddingUnavailable("too many questions are waiting to be embedded")
        self._waiting += 1
        answered = self._asked[text] = asyncio.get_running_loop().create_future()
        try:
            vector: Vector = await self._submit(self._quick, text)
            self._cache.keep(text, vector)
        finally:
            self._waiting -= 1
            del self._asked[text]
            answered.set_result(None)
        return vector

    async def _submit(self, thread: ThreadPoolExecutor, text: str, method: str = "vector") -> Any:
        if not self.ready:
            raise EmbeddingUnavailable(self._failed or "the embedding model is not loaded yet")
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, getattr(self._session, method), text)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():
                raise
            raise EmbeddingUnavailable("the server is stopping") from None
        except Exception as error:
            # An error of the model makes only this text fail.
            logger.exception("a text could not be embedded")
            raise EmbeddingUnavailable("the model failed on this text") from error

    async def _become_ready(self) -> None:
        for delay in _delays():
            try:
                folder = await fetch(self._folder, self._note, self._source)
                self._session = await asyncio.get_running_loop().run_in_executor(self._quick, self._load, folder)
            except (ModelFilesUnavailable, OSError, ValueError, RuntimeError) as error:
                # onnxruntime's own errors are RuntimeErrors. Until the model is loaded, search uses words alone.
                self._failed = str(error)
                logger.warning("no embeddings for now: %s", error)
                await asyncio.sleep(delay)
            else:
                self._failed = None
                return

    def _load(self, folder: Path) -> Any:
        # The module is imported here, because importing onnxruntime and numpy takes a second. No handshake should wait
        # for this import.
        session = importlib.import_module("tellonce_server.embedding.onnx_session")
        self._mean = json.loads(MEAN.read_text())
        return session.Session(folder / GRAPH, folder / TOKENIZER)

    def _note(self, done: int, total: int) -> None:
        self._progress = (done, total)


def _give_way() -> None:
    """Only Linux can lower the priority of a single thread."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)


def _delays() -> Iterator[float]:
    delay = FIRST_RETRY
    while True:
        yield delay
        delay = min(2 * delay, LONGEST_RETRY)
