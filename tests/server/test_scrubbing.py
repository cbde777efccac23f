"""After the scrub, what was forgotten is in no file of the embedded database."""

import shutil
from pathlib import Path

import pytest

from chatmem import contract as c
from chatmem.settings import ServerSettings
from chatmem_server.postgres.embedded import EmbeddedPostgres
from chatmem_server.storage import Storage
from tests.memory_fixtures import Clock, Memory

pytestmark = pytest.mark.anyio

CANARY = "Quetzalcoatlus"


def holding(folder: Path, *words: str) -> list[str]:
    """Files that hold one of the words in any case."""
    wanted = [word.lower().encode() for word in words]
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [str(file.relative_to(folder)) for file in files if any(w in _bytes(file).lower() for w in wanted)]


def _bytes(file: Path) -> bytes:
    """Of a running server's files some go while others are read."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


async def test_forgotten_text_leaves_the_files_with_the_scrub(tmp_path: Path, clock: Clock) -> None:
    settings = ServerSettings.model_validate(
        {"data_dir": tmp_path, "user_ids": (42,), "timezone": "UTC", "embeddings": "none"}
    )
    storage = Storage(settings, clock)
    async with storage.running():
        await storage.actors()
        cluster = EmbeddedPostgres(tmp_path / "postgres").cluster
        async with Memory(storage, settings).client() as client:
            for number in range(30):
                said = f"My {CANARY} number {number} likes fish. It rains."
                await client.record_message(c.RecordMessageArgs(role="user", content=said, message_id=str(number)))
            await client.remember(c.RememberArgs(content=f"I keep a {CANARY} in the garden"))
            await client.get_context(c.GetContextArgs(query=CANARY))
            preview = await client.forget(c.ForgetArgs(topic=CANARY))
            await client.forget(c.ForgetArgs(topic=CANARY, confirm=preview.confirm))
            before = holding(cluster, CANARY)
            assert storage.scrubber is not None
            assert await storage.scrubber.scrub_if_due()
            assert holding(cluster, CANARY) == []
            assert not await storage.scrubber.scrub_if_due()
            context = await client.get_context(c.GetContextArgs(query="rain"))
    left = holding(cluster, CANARY)
    shutil.rmtree(cluster)
    assert before
    assert "It rains." in (context.context or "")
    assert left == []
