"""Tests with real processes. Some exchanges were kept without a model. When a model becomes available, it reads them
again: live exchanges first, then the others from newest to oldest."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tests.chain.server_and_summarizer import Scene, say, scene_with
from tests.patience import until
from tests.stubs.replies import Reply, Say, say_json
from tests.stubs.stub import Asked

pytestmark = [pytest.mark.anyio, pytest.mark.model]

LINE = re.compile(r"^\[(\d+)\] user, .{20}: (.*)$", re.MULTILINE)
CITIES = "Oslo Bergen Turin Graz Porto Ghent Lyon Malmo".split()
LIVE = "I moved to Lisbon last week."
PRICE = 0.004
"""The cost of a few calls of the stubbed model, in US dollars."""


def statement(city: str) -> str:
    return f"My cousin in {city} works as a nurse at the hospital there."


@dataclass
class Reader:
    """A model that rewords every sentence of the user. Each reading of an exchange waits for `allow`."""

    read: list[str] = field(default_factory=list)
    calls: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    waiting: int = 0

    def allow(self, exchanges: int = 100) -> None:
        for _ in range(exchanges):
            self.calls.release()

    async def reads(self, exchanges: int) -> None:
        """Let the model read this many exchanges. Then wait until the model gets the request for the next exchange."""
        wanted = len(self.read) + exchanges
        self.allow(exchanges)

        async def asked() -> bool:
            return len(self.read) == wanted and self.waiting > 0

        await until(asked)

    async def has_read(self, text: str) -> bool:
        return text in self.read

    async def __call__(self, asked: Asked) -> Reply:
        fields = set((asked.schema or {}).get("properties", {}))
        if "verdicts" in fields:
            numbers = re.findall(r"^STATEMENT (\d+)", asked.user, re.MULTILINE)
            return say_json({"verdicts": [{"number": int(n), "holds": True, "why": ""} for n in numbers]})
        if "items" not in fields:
            return say_json({"paragraph": "The user has cousins."}) if "paragraph" in fields else Say("A person.")
        said = LINE.findall(asked.user.partition("NEW MESSAGES\n")[2])
        self.waiting += 1
        try:
            await self.calls.acquire()
        finally:
            self.waiting -= 1
        self.read += [text for _, text in said]
        items = [_item(int(number), text) for number, text in said]
        return say_json({"items": items, "canonical": {"llm_inferred": "", "general_summary": "Cousins."}})


def _item(number: int, text: str) -> dict[str, object]:
    return {
        "quotes": [{"message_id": number, "text": text}],
        "text": text.replace("My cousin", "The user's cousin").replace("works as a nurse", "is a nurse"),
        "kind": "fact",
        "certain": True,
    }


@pytest.fixture
def model() -> Reader:
    return Reader()


@pytest.fixture
async def scene(model: Reader, tmp_path: Path, dsn: str) -> AsyncIterator[Scene]:
    async with scene_with(model, tmp_path, dsn) as scene:
        yield scene


async def keep_notes(scene: Scene, client: MemoryClient) -> list[int]:
    """Let a server without a model keep a note of each exchange. Returns the notes' numbers, newest first."""
    await client.search_memory(c.SearchMemoryArgs(query="cousins"))
    await until(scene.embeds)  # without vectors, no sentence can be chosen
    await scene.summarize()
    for city in CITIES:
        await say(client, statement(city))
        await until(scene.idle)
    notes = (await client.get_profile(c.GetProfileArgs(kinds=("note",), limit=100))).facts
    assert [note.content for note in notes] == [statement(city) for city in reversed(CITIES)]
    assert "later      8 exchanges read without a model" in await scene.command("status")
    await scene.end()
    return [note.id for note in notes]


async def test_a_model_reads_the_notes_history_again_and_nothing_of_the_users_is_lost(
    scene: Scene, model: Reader
) -> None:
    async with connect_http(scene.server.url, scene.server.token()) as client:
        confirmed, pinned, edited, *_ = await keep_notes(scene, client)
        for number, change in ((confirmed, {"action": "confirm"}), (pinned, {"action": "pin"})):
            await client.update_memory(c.UpdateMemoryArgs.model_validate({"memory_id": number, **change}))
        niece = "I have a niece in Zug"
        await client.update_memory(c.UpdateMemoryArgs(memory_id=edited, action="edit", content=niece))
        await scene.with_model()
        await model.reads(2)
        assert (await scene.status()).reading.to_read_again == 6
        await say(client, LIVE)
        await model.reads(2)
        assert model.read == [statement("Malmo"), statement("Lyon"), statement("Ghent"), LIVE]
        await scene.end(signal.SIGKILL)
        await scene.with_model()
        await model.reads(1)
        await scene.server.stop(signal.SIGKILL)
        await scene.server.start()
        model.allow()
        await until(scene.all_read)
        after = await client.get_profile(c.GetProfileArgs(limit=100))
        kept, replaced = [await client.explain(c.ExplainArgs(memory_id=n)) for n in (confirmed, edited - 1)]
        status = await scene.command("status")
    past = [text for text in dict.fromkeys(model.read) if text != LIVE]
    assert past == [statement(city) for city in reversed(CITIES)], "newest first, whatever was killed"
    read = {f"The user's cousin in {city} is a nurse at the hospital there." for city in CITIES if city != "Ghent"}
    assert sorted(m.content for m in after.facts) == sorted({*read, LIVE, statement("Malmo"), statement("Lyon"), niece})
    assert {m.id for m in after.facts if m.content in (statement("Malmo"), statement("Lyon"), niece)} == {
        confirmed,
        pinned,
        edited,
    }
    assert kept.memory is not None
    assert (kept.memory.status, kept.reason) == ("active", None)
    assert replaced.memory is not None
    assert (replaced.memory.status, replaced.reason) == ("superseded", "read again by claude")
    assert "learned    from 9 exchanges: 9 by Claude" in status


async def test_what_is_read_again_takes_at_most_half_of_the_months_budget(scene: Scene, model: Reader) -> None:
    async with connect_http(scene.server.url, scene.server.token()) as client:
        await keep_notes(scene, client)
        await scene.server.stop()
        scene.server.settings["TELLONCE_MONTHLY_CAP_USD"] = str(2 * PRICE)
        await scene.server.start()
        await scene.with_model()
        model.allow()
        await until(lambda: scene.spent(PRICE))
        await say(client, LIVE)
        await until(lambda: model.has_read(LIVE))
        await until(scene.idle)
        status = await scene.status()
    assert 0 < status.reading.to_read_again < len(CITIES)
    assert statement("Oslo") not in model.read, "the oldest would have been the last"
