"""A memory with the local embedding model. The model's files are downloaded once for all test runs."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from platformdirs import user_cache_path

from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.embedding.backlog import EmbeddingBacklog
from tellonce_server.embedding.model_files import MODEL, fetch
from tests.memory_fixtures import Clock, Memory, opened
from tests.patience import until


def _no_progress(done: int, total: int) -> None:
    """Ignore progress."""


@asynccontextmanager
async def with_local_model(settings: ServerSettings, clock: Clock) -> AsyncGenerator[Memory]:
    """A memory with the local model, which can score sentences and search by meaning."""
    cache = Path(os.environ.get("TELLONCE_TEST_CACHE") or user_cache_path("tellonce-tests"))
    folder = await fetch(cache / "models" / MODEL, _no_progress)
    local = settings.model_copy(update={"embeddings": "local", "embedding_model_dir": folder})
    async with opened(Storage(local, clock)) as memory:
        embedder = (await memory.storage.services()).deps.embedder
        await until(lambda: embedder.ready)
        yield memory


async def embed(memory: Memory) -> None:
    """Give all messages their vectors."""
    deps = (await memory.storage.services()).deps
    async with memory.tables() as tables:
        while await tables.fetchval("select count(*) from messages where embedding is null"):
            await EmbeddingBacklog(deps.database, deps.embedder).work_once()
