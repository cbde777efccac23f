"""A memory to measure: embedded PostgreSQL, the real server and its real tools, filled with dialogues."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from benchmarks.dialogue import Dialogue, Turn
from chatmem.client import MemoryClient
from chatmem.connect import connect_memory
from chatmem.settings import ServerSettings
from chatmem_server.actors import Actors
from chatmem_server.app import build_server
from chatmem_server.importing import BATCH, Importer, ImportMessage
from chatmem_server.places import Caller, Where
from chatmem_server.postgres.embedded import EmbeddedPostgres
from chatmem_server.storage import Storage
from chatmem_server.store.database import codecs

FIRST_USER = 1
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""When the questions are asked: later than any dialogue, as when somebody comes back."""


@dataclass(frozen=True)
class Memory:
    """A running server. Every dialogue is the private chat of a user of its own."""

    storage: Storage
    settings: ServerSettings
    actors: Actors

    @asynccontextmanager
    async def client(self, user: int) -> AsyncGenerator[MemoryClient]:
        caller = Caller(user, frozenset(("assistant",)))
        server = build_server(self.settings, self.storage, auth=False, caller_of=lambda: caller)
        async with connect_memory(server) as client:
            yield client

    @asynccontextmanager
    async def tables(self) -> "AsyncGenerator[asyncpg.Connection[asyncpg.Record]]":
        """Raw SQL as the tables' owner, who sees every row."""
        assert self.settings.database_url is not None
        connection = await asyncpg.connect(self.settings.database_url.get_secret_value())
        await codecs(connection)
        try:
            yield connection
        finally:
            await connection.close()


@asynccontextmanager
async def open_memory(model: Path | None, users: int) -> AsyncGenerator[Memory]:
    """A new, empty memory in a folder that is gone afterwards. `model` None: no embeddings."""
    folder = Path(tempfile.mkdtemp(prefix="chatmem-benchmark-"))
    postgres = EmbeddedPostgres(folder / "postgres")
    settings = ServerSettings.model_validate(
        {
            "database_url": await postgres.start(),
            "data_dir": folder,
            "user_ids": tuple(range(FIRST_USER, FIRST_USER + users)),
            "timezone": "UTC",
            "embeddings": "none" if model is None else "local",
            "embedding_model_dir": model,
        }
    )
    storage = Storage(settings, lambda: NOW)
    try:
        async with storage.running():
            yield Memory(storage, settings, await storage.actors())
    finally:
        await postgres.stop()
        shutil.rmtree(postgres.cluster, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


async def fill(memory: Memory, dialogues: Sequence[Dialogue]) -> None:
    """Import the dialogues, wait for their embeddings, and bring the statistics up to date."""
    for user, dialogue in enumerate(dialogues, FIRST_USER):
        importer = Importer(memory.actors.kit, Where(user, user))
        for start in range(0, len(dialogue.turns), BATCH):
            await importer.add([_message(turn) for turn in dialogue.turns[start : start + BATCH]])
    if memory.settings.embeddings != "none":
        await _embedded(memory)
    async with memory.tables() as tables:
        await tables.execute("vacuum analyze messages")
        await tables.execute("vacuum analyze message_fts")


def _message(turn: Turn) -> ImportMessage:
    return ImportMessage(turn.role, turn.text, f"turn:{turn.id}", turn.at, "benchmark", turn.speaker)


async def _embedded(memory: Memory) -> None:
    async with memory.tables() as tables:
        while left := await tables.fetchval("select count(*) from messages where embedding is null"):
            state = memory.storage.embedder.state
            if state["failed"]:
                raise RuntimeError(f"no embeddings: {state['failed']}")
            print(f"  {left} messages to embed", flush=True)
            await asyncio.sleep(5)
