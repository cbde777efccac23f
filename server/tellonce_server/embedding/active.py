"""The embedder of the database's active model. The active model is replaced when `tellonce reembed` changes the model.

The settings choose the first embedder of a process. The Ollama client is imported only if needed.
"""

import asyncio
import importlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from tellonce.settings import ServerSettings
from tellonce.shutdown import ended
from tellonce_server.embedding.local import LocalEmbedder
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.embedding.protocol import Embedder, Layers, NoEmbedder, Vector


class ActiveEmbedder:
    """Starts with the configured embedder. `follow` switches to the embedder of the database's active model, unless
    embeddings are off. The configured model becomes the active model if the memory has no active model yet, or if the
    user runs `reembed`. Each vector names its model, and the database accepts only vectors of the active model.
    Processes may therefore switch at different times."""

    def __init__(self, configured: Embedder, named: Callable[[str], Embedder]) -> None:
        self._current = configured
        self._named = named
        self.off: Final = isinstance(configured, NoEmbedder)
        """Whether the settings turn embeddings off."""
        self._changed = asyncio.Event()

    @property
    def model(self) -> str:
        return self._current.model

    @property
    def mean(self) -> Vector:
        return self._current.mean

    @property
    def ready(self) -> bool:
        return self._current.ready

    @property
    def state(self) -> dict[str, Any]:
        return self._current.state

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        return await self._current.embed(texts, urgent=urgent)

    async def layers(self, texts: Sequence[str], *, urgent: bool = False) -> list[Layers]:
        return await self._current.layers(texts, urgent=urgent)

    async def run(self) -> None:
        while True:
            self._changed.clear()
            running, changed = asyncio.create_task(self._current.run()), asyncio.create_task(self._changed.wait())
            try:
                await asyncio.wait({running, changed}, return_when=asyncio.FIRST_COMPLETED)
                if running.done():
                    running.result()  # raises the embedder's error, if the embedder failed
                await changed
            finally:
                await ended(running, changed)

    def follow(self, active: str | None) -> None:
        """Switch to the active model. Do nothing if the active model is unknown (None) or already in use, or if
        embeddings are off."""
        if not self.off and active is not None and active != self._current.model:
            self._current = self._named(active)
            self._changed.set()


OLLAMA = "ollama:"


def choose_embedder(settings: ServerSettings) -> Embedder:
    match settings.embeddings:
        case "local":
            return embedder_named(MODEL, settings)
        case "ollama":
            return embedder_named(OLLAMA + settings.ollama_embedding_model, settings)
        case "none":
            return NoEmbedder()


def embedder_named(model: str, settings: ServerSettings) -> Embedder:
    """Return the embedder for the model `model`. For an unknown name, return an embedder that is never ready."""
    if model == MODEL:
        return LocalEmbedder(settings.data_dir / "models" / MODEL, settings.embedding_model_dir)
    if model.startswith(OLLAMA):
        module = importlib.import_module("tellonce_server.embedding.ollama")
        embedder: Embedder = module.OllamaEmbedder(settings.ollama_url, model.removeprefix(OLLAMA))
        return embedder
    return NoEmbedder()
