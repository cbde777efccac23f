"""Runs the memory that is measured: embedded PostgreSQL and the real server, empty or filled with dialogues."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.dialogue import Dialogue, Turn
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import ChatScope
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.services.import_messages import BATCH, Importer, ImportMessage
from tellonce_server.services.services import Services
from tests.memory_fixtures import Memory as RunningMemory

FIRST_USER = 1
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""The time at which questions are asked, later than any dialogue."""

_WAITING = """
select (select count(*) from messages where embedding is null)
  + (select count(*) from memories where embedding is null)
  + (select count(*) from conversation_summaries where embedding is null and kind = 'chunk')
"""


class Memory(RunningMemory):
    """A running server. Every dialogue is the private chat of a separate user."""

    def __init__(self, storage: Storage, settings: ServerSettings, services: Services) -> None:
        super().__init__(storage, settings)
        self.services = services


@asynccontextmanager
async def open_memory(
    model: Path | None, users: int, zone: str = "UTC", clock: Callable[[], datetime] = lambda: NOW
) -> AsyncGenerator[Memory]:
    """A new, empty memory for users 1 to `users`, in a folder that is deleted afterwards. With `model` None, there are
    no embeddings."""
    folder = Path(tempfile.mkdtemp(prefix="tellonce-benchmark-"))
    postgres = EmbeddedPostgres(folder / "postgres")
    settings = ServerSettings.model_validate(
        {
            "database_url": await postgres.start(),
            "data_dir": folder,
            "user_ids": tuple(range(FIRST_USER, FIRST_USER + users)),
            "timezone": zone,
            "embeddings": "none" if model is None else "local",
            "embedding_model_dir": model,
        }
    )
    storage = Storage(settings, clock)
    try:
        async with storage.running():
            yield Memory(storage, settings, await storage.services())
    finally:
        await postgres.stop()
        shutil.rmtree(postgres.cluster, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


async def fill(memory: Memory, dialogues: Sequence[Dialogue]) -> None:
    """Import the dialogues, wait for their embeddings, and bring the statistics up to date."""
    for user, dialogue in enumerate(dialogues, FIRST_USER):
        importer = Importer(memory.services.deps, ChatScope(user, user))
        for start in range(0, len(dialogue.turns), BATCH):
            await importer.add([import_message(turn) for turn in dialogue.turns[start : start + BATCH]])
    if memory.settings.embeddings != "none":
        await embedded(memory)
    async with memory.tables() as tables:
        await tables.execute("vacuum analyze messages")
        await tables.execute("vacuum analyze message_fts")


def import_message(turn: Turn) -> ImportMessage:
    return ImportMessage(turn.role, turn.text, f"turn:{turn.id}", turn.at, "benchmark", turn.speaker)


async def embedded(memory: Memory) -> None:
    """Wait until all texts are embedded."""
    async with memory.tables() as tables:
        while left := await tables.fetchval(_WAITING):
            state = memory.storage.embedder.state
            if state["failed"]:
                raise RuntimeError(f"no embeddings: {state['failed']}")
            print(f"  {left} texts to embed", flush=True)
            await asyncio.sleep(5)
