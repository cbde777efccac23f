"""The embedding model is changed while the memory is in use. No answer mixes two models, and the switch is atomic,
resumable and reversible."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import asyncpg
import pytest

from tellonce import contract as c
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.embedding.active import ActiveEmbedder
from tellonce_server.embedding.backlog import LOCK, EmbeddingBacklog
from tellonce_server.embedding.generations import Generations, NoWayBack, follow
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, NoEmbedder, Vector
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database
from tests.memory_fixtures import START, USER, Memory, rows, session

pytestmark = pytest.mark.anyio

TEXTS = ["The kettle whistles", "Rain fell on Tuesday", "My bicycle is green", "We met in Lisbon", "He sells old maps"]
SIDE = "select count(*) filter (where subvector(embedding::vector, 1, 1)::text like '[-%') as b, count(*) as n from messages"


class Stub:
    """A model. Its name determines the first dimension of its vectors, and the text determines the others."""

    mean: Vector = (0.0,) * 384
    ready = True

    def __init__(self, model: str, side: float, good_for: int = 1_000) -> None:
        self.model = model
        self.embedded: list[str] = []
        self._side = side
        self._good_for = good_for

    @property
    def state(self) -> dict[str, Any]:
        return {"model": self.model, "ready": True, "bytes": 0, "total": 0, "failed": None}

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        if not urgent and len(self.embedded) + len(texts) > self._good_for:
            raise EmbeddingUnavailable("the model went away")
        self.embedded += [] if urgent else texts
        return [self._vector(text.partition(": ")[2] or text) for text in texts]

    def _vector(self, text: str) -> Vector:
        bits = hashlib.sha256(text.encode()).digest()
        rest = [1.0 if bits[i // 8 % 32] >> i % 8 & 1 else -1.0 for i in range(383)]
        length = (self._side**2 + 383) ** 0.5
        return [x / length for x in (self._side, *rest)]


def old() -> Stub:
    return Stub("old", 5.0)


def new(good_for: int = 1_000) -> Stub:
    return Stub("new", -5.0, good_for)


@pytest.fixture
async def database(memory: Memory) -> Database:
    """A memory whose messages and one statement have vectors of the model `old`."""
    async with memory.client() as client:
        for number, text in enumerate(TEXTS):
            await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=str(number)))
        await client.remember(c.RememberArgs(content="My bicycle is green"))
    found = (await memory.storage.services()).deps.database
    active = ActiveEmbedder(old(), lambda _: NoEmbedder())
    await follow(found, active, START)
    assert await EmbeddingBacklog(found, active).work_once() == len(TEXTS) + 1
    return found


def generations(dsn: str) -> Generations:
    return Generations(dsn, lambda: START)


async def cosine(database: Database, embedder: Embedder, text: str) -> float | None:
    """The cosine between the text and the best message; None if the search does not use vectors."""
    request = SearchRequest(USER, USER, None, text, START, ZoneInfo("UTC"), kinds=("message",))
    hits = (await Retriever(database, embedder).search(replace(request, limit=1))).results
    return hits[0].cosine if hits else None


async def vectors(dsn: str) -> list[str]:
    async with session(dsn) as connection:
        rows = await connection.fetch(
            "select embedding::text || coalesce(ebits::text, '') as v from messages"
            " union all select embedding::text from memories order by 1"
        )
        return [row["v"] for row in rows]


def ignored(progress: int) -> None:
    """Ignore progress."""


async def test_only_the_active_models_vectors_have_a_say(database: Database, dsn: str) -> None:
    assert await cosine(database, old(), TEXTS[0]) == pytest.approx(1.0, abs=0.01)
    assert await cosine(database, new(), TEXTS[0]) is None
    assert await generations(dsn).change_to(new(), ignored) == len(TEXTS) + 1
    assert await generations(dsn).change_to(new(), ignored) is None, "there is nothing to change"
    assert await cosine(database, old(), TEXTS[0]) is None
    assert await cosine(database, new(), TEXTS[0]) == pytest.approx(1.0, abs=0.01)


async def test_while_the_new_vectors_are_made_searches_answer_from_the_old_ones(database: Database, dsn: str) -> None:
    with pytest.raises(EmbeddingUnavailable):
        await generations(dsn).change_to(new(good_for=5), ignored)
    assert await cosine(database, old(), TEXTS[3]) == pytest.approx(1.0, abs=0.01)
    assert await cosine(database, new(), TEXTS[3]) is None


async def test_an_interrupted_change_goes_on_where_it_ended(database: Database, dsn: str) -> None:
    with pytest.raises(EmbeddingUnavailable):
        await generations(dsn).change_to(new(good_for=len(TEXTS)), ignored)
    again = new()
    assert await generations(dsn).change_to(again, ignored) == 1
    assert again.embedded == ["My bicycle is green"]
    assert await cosine(database, new(), TEXTS[1]) == pytest.approx(1.0, abs=0.01)


async def test_the_way_back_brings_the_very_vectors_back_and_leaves_new_texts_to_the_background(
    database: Database, dsn: str, memory: Memory
) -> None:
    before = await vectors(dsn)
    await generations(dsn).change_to(new(), ignored)
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Said since", message_id="since"))
    await EmbeddingBacklog(database, new()).work_once()
    assert await generations(dsn).go_back() == "old"
    assert [v for v in await vectors(dsn) if v is not None] == before
    assert await cosine(database, old(), TEXTS[2]) == pytest.approx(1.0, abs=0.01)
    assert await EmbeddingBacklog(database, old()).work_once() == 1
    assert await generations(dsn).go_back() == "new"


async def test_without_a_former_model_there_is_no_way_back(database: Database, dsn: str) -> None:
    with pytest.raises(NoWayBack):
        await generations(dsn).go_back()


async def test_a_server_that_still_has_the_old_model_writes_no_vector_after_the_switch(
    database: Database, dsn: str, memory: Memory
) -> None:
    await generations(dsn).change_to(new(), ignored)
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Said since", message_id="since"))
    stale = (await old().embed(["Said since"], urgent=True))[0]
    row = ([USER], [USER], [len(TEXTS) + 1], [1], [ModelVector(stale, "old")], [code(stale, old().mean)])
    assert await database.run("messages.set_embeddings", *row) == 0
    assert await EmbeddingBacklog(database, new()).work_once() == 1


async def test_of_several_servers_one_at_a_time_embeds_what_waits(database: Database, memory: Memory) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Said since", message_id="since"))
    async with database.lock(LOCK) as held_by_another_server:
        assert held_by_another_server
        assert await EmbeddingBacklog(database, old()).work_once() == 0
    assert await EmbeddingBacklog(database, old()).work_once() == 1


async def test_a_reader_during_the_switch_sees_one_model_or_the_other(database: Database, dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    seen: set[tuple[int, int]] = set()
    done = anyio.Event()

    async def watch() -> None:
        while not done.is_set():
            row = await connection.fetchrow(SIDE)
            assert row is not None
            seen.add((row["b"], row["n"]))

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            await generations(dsn).change_to(new(), ignored)
            await generations(dsn).go_back()
            await generations(dsn).go_back()
            done.set()
    finally:
        await connection.close()
    assert seen <= {(0, len(TEXTS)), (len(TEXTS), len(TEXTS))}


async def test_an_edited_text_leaves_no_spare_vector_of_its_former_words(
    database: Database, dsn: str, memory: Memory
) -> None:
    await generations(dsn).change_to(new(), ignored)
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Quite different", message_id="2"))
    left = await rows(dsn, "select id from spare_vectors where kind = 'message' order by id")
    assert [row["id"] for row in left] == [1, 2, 4, 5]


async def test_a_running_server_takes_up_the_new_model(database: Database, dsn: str) -> None:
    other = new()
    active = ActiveEmbedder(old(), lambda model: {"new": other}[model])
    running = asyncio.create_task(active.run())
    await generations(dsn).change_to(new(), ignored)
    await follow(database, active, START)
    assert active.model == "new"
    assert await cosine(database, active, TEXTS[0]) == pytest.approx(1.0, abs=0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_where_embeddings_are_switched_off_they_stay_off(database: Database) -> None:
    active = ActiveEmbedder(NoEmbedder(), lambda _: old())
    await follow(database, active, START)
    assert not active.ready
