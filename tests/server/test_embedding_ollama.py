"""Embeddings by Ollama are checked. They are requested again after an outage. They never delay a question."""

import math
from typing import Any

import anyio
import pytest

from tellonce_server.embedding import ollama
from tellonce_server.embedding.ollama import OllamaEmbedder
from tellonce_server.embedding.protocol import EmbeddingUnavailable
from tests.patience import HANGS, promised, until
from tests.server.test_embedding import running
from tests.stubs.ollama_stub import OllamaStub
from tests.unit.test_secrets import SK

pytestmark = pytest.mark.anyio


class Answer:
    def __init__(self, embeddings: list[list[float]]) -> None:
        self.embeddings = embeddings


def answering(monkeypatch: pytest.MonkeyPatch, answer: Any) -> tuple[OllamaEmbedder, list[list[str]]]:
    """An embedder and the list of its requests. The server of the embedder returns `answer` or, if `answer` is a
    function, the function's result for the texts."""
    embedder, asked = OllamaEmbedder("http://127.0.0.1:9", "any"), list[list[str]]()

    async def embed(_: str, texts: list[str]) -> Answer:
        asked.append(texts)
        return Answer(await answer(texts) if callable(answer) else answer)

    monkeypatch.setattr(embedder._client, "embed", embed)
    return embedder, asked


async def sound(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 2.0] + [0.0] * 382 for text in texts]


async def test_a_real_protocol_gives_unit_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "QUERY_SECONDS", HANGS)
    async with OllamaStub() as stub:
        embedder = OllamaEmbedder(stub.url, "all-minilm")
        async with running(embedder):
            await until(lambda: embedder.ready)
            one, other = await embedder.embed(["one", "another"], urgent=True)
            [again] = await embedder.embed(["one"], urgent=False)
    assert [math.isclose(math.hypot(*v), 1, abs_tol=1e-6) for v in (one, other)] == [True, True]
    assert list(again) == pytest.approx(list(one), abs=1e-6)


@pytest.mark.parametrize("urgent", [True, False])
async def test_a_secret_is_not_told_to_it(monkeypatch: pytest.MonkeyPatch, urgent: bool) -> None:
    embedder, asked = answering(monkeypatch, sound)
    await embedder.embed(["ready?"], urgent=False)
    await embedder.embed([f"user: My key is {SK}, I like tea."], urgent=urgent)
    assert asked[1:] == [["user: My key is [secret:api-key], I like tea."]]


async def test_a_missing_model_is_named() -> None:
    async with OllamaStub(models=()) as stub:
        embedder = OllamaEmbedder(stub.url, "nomic")
        async with running(embedder):
            with pytest.raises(EmbeddingUnavailable, match="nomic"):
                await embedder.embed(["one"], urgent=False)


@pytest.mark.parametrize("vectors", [[[0.0] * 384], [[math.nan] * 384], [[math.inf] * 384], [[1.0] * 3], []])
async def test_unsound_vectors_are_refused(vectors: list[list[float]], monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, _ = answering(monkeypatch, vectors)
    with pytest.raises(EmbeddingUnavailable, match="no valid vectors of 384 dimensions"):
        await embedder.embed(["hello"], urgent=False)


async def test_no_question_is_sent_before_it_has_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, asked = answering(monkeypatch, sound)
    with anyio.fail_after(promised(5)), pytest.raises(EmbeddingUnavailable):
        await embedder.embed(["hello"], urgent=True)
    assert asked == []


async def test_a_question_asked_again_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, asked = answering(monkeypatch, sound)
    await embedder.embed(["backlog"], urgent=False)
    for _ in range(2):
        await embedder.embed(["hello"], urgent=True)
    assert asked == [["backlog"], ["hello"]]


async def test_a_question_waits_briefly_and_the_next_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs_on_questions(texts: list[str]) -> list[list[float]]:
        if texts == ["hello"]:
            await anyio.sleep_forever()
        return await sound(texts)

    monkeypatch.setattr(ollama, "QUERY_SECONDS", 0.05)
    monkeypatch.setattr(ollama, "PROBE_SECONDS", 0.01)
    embedder, asked = answering(monkeypatch, hangs_on_questions)
    await embedder.embed(["backlog"], urgent=False)
    with anyio.fail_after(promised(5)), pytest.raises(EmbeddingUnavailable, match=r"within 0\.05 s"):
        await embedder.embed(["hello"], urgent=True)
    with pytest.raises(EmbeddingUnavailable):
        await embedder.embed(["other"], urgent=True)
    assert asked == [["backlog"], ["hello"]]
    async with running(embedder):
        await until(lambda: embedder.ready)
        assert await embedder.embed(["other"], urgent=True)
