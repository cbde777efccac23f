"""A message of the user is embedded as a question at once, unless this would delay other work."""

import asyncio
from collections.abc import Sequence

import pytest

from tellonce_server.embedding.protocol import EmbeddingUnavailable, NoEmbedder, Vector
from tellonce_server.embedding.question_cache import LONGEST, MOST, RATE, Foresight

pytestmark = pytest.mark.anyio


class Gated(NoEmbedder):
    """An embedder that records its calls. Once the gate is open, each call ends with an error."""

    def __init__(self) -> None:
        self.ready = True
        self.asked: list[str] = []
        self.gate = asyncio.Event()

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> list[Vector]:
        assert urgent
        self.asked += texts
        await self.gate.wait()
        raise EmbeddingUnavailable("it is only noted")


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_few_texts_are_under_way_at_once_and_failures_harm_nobody() -> None:
    embedder = Gated()
    foresight = Foresight(embedder)
    for number in range(MOST + 1):
        foresight.expect(f"text {number}")
    foresight.expect("x" * (LONGEST + 1))
    await settled()
    assert embedder.asked == [f"text {number}" for number in range(MOST)]
    embedder.gate.set()
    await settled()
    foresight.expect("afterwards")
    await settled()
    assert embedder.asked[MOST:] == ["afterwards"]


async def test_who_records_very_many_is_not_waited_on() -> None:
    embedder = Gated()
    embedder.gate.set()
    foresight = Foresight(embedder)
    for number in range(int(30 * RATE)):
        foresight.expect(f"text {number}")
        await settled()
    assert len(embedder.asked) < 20 * RATE


async def test_without_a_model_nothing_is_asked() -> None:
    embedder = Gated()
    embedder.ready = False
    Foresight(embedder).expect("text")
    await settled()
    assert embedder.asked == []
