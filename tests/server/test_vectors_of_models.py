"""Only vectors of the local model are stored and compared. A text without a vector is found by its words until the
background work has computed its vector."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.embedding.backlog import LOCK, EmbeddingBacklog, embed_again
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.embedding.protocol import Embedder, Vector
from tellonce_server.services.services import Services
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database
from tests.memory_fixtures import START, USER, Memory, session

pytestmark = pytest.mark.anyio

TEXTS = ["The kettle whistles", "Rain fell on Tuesday", "My bicycle is green", "We met in Lisbon", "He sells old maps"]


class Stub:
    """A model. Its name determines the first dimension of its vectors, and the text determines the others."""

    mean: Vector = (0.0,) * 384
    ready = True

    def __init__(self, model: str, side: float) -> None:
        self.model = model
        self._side = side

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": True, "bytes": 0, "total": 0, "failed": None}

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        return [self._vector(text.partition(": ")[2] or text) for text in texts]

    def _vector(self, text: str) -> Vector:
        bits = hashlib.sha256(text.encode()).digest()
        rest = [1.0 if bits[i // 8 % 32] >> i % 8 & 1 else -1.0 for i in range(383)]
        length = (self._side**2 + 383) ** 0.5
        return [x / length for x in (self._side, *rest)]


def local() -> Stub:
    return Stub(MODEL, 5.0)


def other() -> Stub:
    return Stub("other", -5.0)


@pytest.fixture
async def database(memory: Memory) -> Database:
    """A memory with messages and one statement. All of them have vectors of the local model."""
    async with memory.client() as client:
        for number, text in enumerate(TEXTS):
            await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=str(number)))
        await client.remember(c.RememberArgs(content="My bicycle is green"))
    found = (await memory.storage.services()).deps.database
    assert await EmbeddingBacklog(found, local()).work_once() == len(TEXTS) + 1
    return found


async def hits(database: Database, embedder: Embedder, text: str) -> list[tuple[str, float | None]]:
    """The messages that the search finds, each with its cosine; the cosine is None if the search uses no vectors."""
    request = SearchRequest(USER, USER, None, text, START, ZoneInfo("UTC"), kinds=("message",))
    return [
        (hit.text, hit.cosine)
        for hit in (await Retriever(database, embedder).search(replace(request, limit=1))).results
    ]


async def cosine(database: Database, embedder: Embedder, text: str) -> float | None:
    """The cosine between the text and the best message; None if the search does not use vectors."""
    return next((found for _, found in await hits(database, embedder, text)), None)


async def vectors(dsn: str) -> list[str]:
    async with session(dsn) as connection:
        rows = await connection.fetch(
            "select embedding::text || coalesce(ebits::text, '') as v from messages"
            " union all select embedding::text from memories order by 1"
        )
        return [row["v"] for row in rows]


async def test_a_server_with_another_model_compares_no_vectors(database: Database) -> None:
    assert await cosine(database, local(), TEXTS[0]) == pytest.approx(1.0, abs=0.01)
    assert await cosine(database, other(), TEXTS[0]) is None


async def test_a_server_with_another_model_stores_no_vector(database: Database, memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Said since", message_id="since"))
    foreign = (await other().embed(["Said since"], urgent=True))[0]
    row = ([USER], [USER], [len(TEXTS) + 1], [1], [ModelVector(foreign, "other")], [code(foreign, other().mean)])
    assert await database.run("messages.set_embeddings", *row) == 0
    assert await EmbeddingBacklog(database, local()).work_once() == 1


async def test_vectors_that_were_deleted_are_computed_again_and_words_find_the_texts_meanwhile(
    database: Database, dsn: str, memory: Memory
) -> None:
    deps = (await memory.storage.services()).deps
    work = Services(replace(deps, settings=deps.settings.model_copy(update={"embeddings": "local"})), b"key").work
    before = await vectors(dsn)
    assert await embed_again(database, dsn) == len(TEXTS) + 1
    assert await vectors(dsn) == [None] * len(before)
    assert (await work.status()).without_vector == len(TEXTS) + 1
    assert await hits(database, local(), "bicycle") == [("My bicycle is green", None)]
    await EmbeddingBacklog(database, local()).work_once()
    assert await vectors(dsn) == before
    assert (await work.status()).without_vector == 0


async def test_of_several_servers_one_at_a_time_embeds_what_waits(database: Database, memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Said since", message_id="since"))
    async with database.lock(LOCK) as held_by_another_server:
        assert held_by_another_server
        assert await EmbeddingBacklog(database, local()).work_once() == 0
    assert await EmbeddingBacklog(database, local()).work_once() == 1
