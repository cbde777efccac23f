"""The local embedding model: fetched for real, sensible, queries before backlog, absent without harm."""

import asyncio
import json
import math
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_cache_path

from chatmem import contract as c
from chatmem.settings import ServerSettings
from chatmem_server.embedding.backlog import EmbeddingBacklog
from chatmem_server.embedding.codes import code, halfvec
from chatmem_server.embedding.local import LocalEmbedder
from chatmem_server.embedding.model_files import MEAN, MODEL, ModelFilesUnavailable, check, fetch
from chatmem_server.embedding.ollama import OllamaEmbedder
from chatmem_server.embedding.protocol import EmbeddingUnavailable, Vector
from chatmem_server.storage import Storage
from tests.memory_fixtures import Clock, Memory

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

Small = st.lists(st.floats(-1, 1, width=16), min_size=16, max_size=16)


def model_folder() -> Path:
    return user_cache_path("chatmem-tests") / "models" / MODEL


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@asynccontextmanager
async def loaded() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder(model_folder())
    task = asyncio.create_task(embedder.run())
    try:
        with anyio.fail_after(240):
            while not embedder.ready:  # loading happens in a thread that has no event for us
                assert embedder.state["failed"] is None
                await anyio.sleep(0.05)
        yield embedder
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.model
async def test_the_model_is_fetched_once_and_puts_like_meanings_together() -> None:
    async with loaded() as embedder:
        told, asked, other = await embedder.embed(
            ["My team offsite is on March 15", "When is the team outing?", "I like tea"], urgent=True
        )
    assert math.isclose(cosine(told, told), 1, abs_tol=1e-3)
    assert cosine(told, asked) > 0.5 > cosine(told, other) + 0.2
    assert len(json.loads((model_folder() / MEAN).read_text())) == 384


@pytest.mark.model
async def test_a_question_goes_before_the_backlog() -> None:
    async with loaded() as embedder:
        order: list[str] = []

        async def ask(name: str, texts: list[str], *, urgent: bool) -> None:
            await embedder.embed(texts, urgent=urgent)
            order.append(name)

        async with asyncio.TaskGroup() as group:
            group.create_task(ask("backlog", [f"text number {n} of many" for n in range(64)], urgent=False))
            await asyncio.sleep(0)
            group.create_task(ask("question", ["What is it?"], urgent=True))
    assert order == ["question", "backlog"]


@pytest.mark.model
async def test_what_was_recorded_is_found_by_meaning_once_it_is_embedded(
    settings: ServerSettings, clock: Clock
) -> None:
    storage = Storage(settings, clock)
    async with loaded() as embedder:
        storage.embedder = embedder
        async with storage.running():
            actors = await storage.actors()
            async with Memory(storage, settings).client() as client:
                await client.record_message(
                    c.RecordMessageArgs(role="user", content="The spare key is under the flowerpot")
                )
                for number in range(30):
                    await client.record_message(
                        c.RecordMessageArgs(role="user", content=f"Lunch on day {number} was fine")
                    )
                await EmbeddingBacklog(actors.kit.database, embedder).work_once()
                found = await client.search_memory(c.SearchMemoryArgs(query="Where is the hidden door opener?"))
    assert found.results[0].text == "The spare key is under the flowerpot"


async def test_without_a_model_nobody_waits(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path / "nothing")
    with anyio.fail_after(1), pytest.raises(EmbeddingUnavailable):
        await embedder.embed(["hello"], urgent=True)


async def test_a_file_that_is_not_the_expected_one_is_refused(tmp_path: Path) -> None:
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        (tmp_path / name).write_text("not it")
    with pytest.raises(ModelFilesUnavailable, match=r"model.safetensors"):
        check(tmp_path)


async def test_a_folder_of_the_users_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ModelFilesUnavailable, match="CHATMEM_EMBEDDING_MODEL_DIR"):
        await fetch(tmp_path / "mine", lambda done, total: None)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


async def test_a_download_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV", shutil.which("false") or "/bin/false")
    with pytest.raises(ModelFilesUnavailable, match="CHATMEM_EMBEDDING_MODEL_DIR"):
        await fetch(tmp_path / "model", lambda done, total: None)
    assert [file for file in tmp_path.iterdir() if not file.name.endswith(".lock")] == []


@pytest.mark.parametrize("vectors", [[[0.0] * 384], [[float("nan")] * 384], [[1.0] * 3], []])
async def test_unsound_vectors_of_a_provider_are_refused(
    vectors: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = OllamaEmbedder("http://127.0.0.1:9", "any")

    class Answer:
        embeddings = vectors

    async def embed(*_: object) -> Answer:
        return Answer()

    monkeypatch.setattr(embedder._client, "embed", embed)
    with pytest.raises(EmbeddingUnavailable):
        await embedder.embed(["hello"], urgent=True)


@given(Small, Small)
def test_codes_are_the_signs_around_the_mean(vector: list[float], mean: list[float]) -> None:
    bits = code(vector, mean).as_string().replace(" ", "")
    assert bits == "".join("1" if x > m else "0" for x, m in zip(vector, mean, strict=True))
    assert len(halfvec(vector)) == 4 + 2 * 16
