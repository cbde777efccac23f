"""Real processes: what was kept without a model is read again once there is a model, newest first and behind live talk."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tests import forked
from tests.chain.home import eventually
from tests.patience import HANGS
from tests.server.processes import HttpServer, http_server, server_env
from tests.server.test_embedding import model_folder
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Reply, Say, say_json
from tests.stubs.stub import Asked

pytestmark = [pytest.mark.anyio, pytest.mark.model]

LINE = re.compile(r"^\[(\d+)\] user, .{20}: (.*)$", re.MULTILINE)
CITIES = "Oslo Bergen Turin Graz Porto Ghent Lyon Malmo".split()
LIVE = "I moved to Lisbon last week."
PRICE = 0.004
"""US dollars that a few calls of the stubbed model cost."""


def told(city: str) -> str:
    return f"My cousin in {city} works as a nurse at the hospital there."


@dataclass
class Reader:
    """A model that words every sentence of the user differently. Each reading of an exchange waits for `allow`."""

    read: list[str] = field(default_factory=list)
    calls: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    waiting: int = 0

    def allow(self, exchanges: int = 100) -> None:
        for _ in range(exchanges):
            self.calls.release()

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


@dataclass
class Scene:
    server: HttpServer
    stub: AnthropicStub
    model: Reader
    environment: dict[str, str]
    summarizer: forked.Program | None = None

    async def summarize(self, **more: str) -> None:
        self.summarizer = await forked.start(
            "tellonce_summarizer", env=self.environment | more, cwd=self.server.data_dir
        )

    async def end(self, number: int = signal.SIGTERM) -> None:
        assert self.summarizer is not None
        self.summarizer.send_signal(number)
        async with asyncio.timeout(HANGS):
            await self.summarizer.wait()

    async def with_model(self) -> None:
        await self.summarize(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=self.stub.url)

    async def status(self) -> w.QueueStatus:
        async with connect_http(self.server.url, self.server.token("agent")) as agent:
            return await agent.queue_status()

    async def idle(self) -> bool:
        return not any(kind.pending + kind.claimed + kind.ready for kind in (await self.status()).kinds)

    async def reads(self, exchanges: int) -> None:
        """Let the model read this many more exchanges, and wait until it is asked for the next one."""
        wanted = len(self.model.read) + exchanges
        self.model.allow(exchanges)

        async def asked() -> bool:
            return len(self.model.read) == wanted and self.model.waiting > 0

        await eventually(asked)

    async def has_read(self, text: str) -> bool:
        return text in self.model.read

    async def spent(self, usd: float) -> bool:
        return (await self.status()).cost.price_usd >= usd

    async def all_read(self) -> bool:
        reading = (await self.status()).reading
        return await self.idle() and not reading.to_read_again and not reading.waiting

    async def command(self, *arguments: str) -> str:
        process = await forked.start(
            "tellonce_cli.main", *arguments, env=self.environment, cwd=self.server.data_dir, stdout=-1
        )
        out, _ = await process.communicate()
        return out.decode()


@pytest.fixture
async def scene(tmp_path: Path, dsn: str) -> AsyncIterator[Scene]:
    reader = Reader()
    settings = {
        "TELLONCE_EMBEDDINGS": "local",
        "TELLONCE_EMBEDDING_MODEL_DIR": str(model_folder()),
        "TELLONCE_QUEUE__LEASE_SECONDS": "5",
    }
    async with AnthropicStub(reader) as stub, http_server(tmp_path / "data", dsn, **settings) as server:
        own = {"TELLONCE_URL": server.url, "SUMMARIZER_CONCURRENCY": "1", "TELLONCE_DATA_DIR": str(server.data_dir)}
        yield (scene := Scene(server, stub, reader, server_env(server.data_dir, dsn, **own)))
        await scene.end()


async def say(client: MemoryClient, text: str) -> None:
    await client.record_message(c.RecordMessageArgs(role="user", content=text))
    await client.record_message(c.RecordMessageArgs(role="assistant", content="I see."))


async def keep_notes(scene: Scene, client: MemoryClient) -> list[int]:
    """Let a server without a model keep a note of each exchange. Returns the notes' numbers, newest first."""
    await scene.summarize()
    for city in CITIES:
        await say(client, told(city))
        await eventually(scene.idle)
    notes = (await client.get_profile(c.GetProfileArgs(kinds=("note",), limit=100))).facts
    assert [note.content for note in notes] == [told(city) for city in reversed(CITIES)]
    assert "again      8 exchanges that a better model would read again" in await scene.command("status")
    await scene.end()
    return [note.id for note in notes]


async def test_a_model_reads_the_notes_history_again_and_nothing_of_the_users_is_lost(scene: Scene) -> None:
    async with connect_http(scene.server.url, scene.server.token()) as client:
        confirmed, pinned, edited, *_ = await keep_notes(scene, client)
        for number, change in ((confirmed, {"action": "confirm"}), (pinned, {"action": "pin"})):
            await client.update_memory(c.UpdateMemoryArgs.model_validate({"memory_id": number, **change}))
        niece = "I have a niece in Zug"
        await client.update_memory(c.UpdateMemoryArgs(memory_id=edited, action="edit", content=niece))
        await scene.with_model()
        await scene.reads(2)
        assert (await scene.status()).reading.to_read_again == 6
        await say(client, LIVE)
        await scene.reads(2)
        assert scene.model.read == [told("Malmo"), told("Lyon"), told("Ghent"), LIVE]
        await scene.end(signal.SIGKILL)
        await scene.with_model()
        await scene.reads(1)
        await scene.server.stop(signal.SIGKILL)
        await scene.server.start()
        scene.model.allow()
        await eventually(scene.all_read)
        after = await client.get_profile(c.GetProfileArgs(limit=100))
        kept, replaced = [await client.explain(c.ExplainArgs(memory_id=n)) for n in (confirmed, edited - 1)]
        status = await scene.command("status")
    past = [text for text in dict.fromkeys(scene.model.read) if text != LIVE]
    assert past == [told(city) for city in reversed(CITIES)], "newest first, whatever was killed"
    read = {f"The user's cousin in {city} is a nurse at the hospital there." for city in CITIES if city != "Ghent"}
    assert sorted(m.content for m in after.facts) == sorted({*read, LIVE, told("Malmo"), told("Lyon"), niece})
    assert {m.id for m in after.facts if m.content in (told("Malmo"), told("Lyon"), niece)} == {
        confirmed,
        pinned,
        edited,
    }
    assert kept.memory is not None
    assert (kept.memory.status, kept.reason) == ("active", None)
    assert replaced.memory is not None
    assert (replaced.memory.status, replaced.reason) == ("superseded", "read again by claude")
    assert "read       9 exchanges: 9 by Claude" in status


async def test_what_is_read_again_takes_at_most_half_of_the_months_budget(scene: Scene) -> None:
    async with connect_http(scene.server.url, scene.server.token()) as client:
        await keep_notes(scene, client)
        await scene.server.stop()
        scene.server.settings["TELLONCE_MONTHLY_CAP_USD"] = str(2 * PRICE)
        await scene.server.start()
        await scene.with_model()
        scene.model.allow()
        await eventually(lambda: scene.spent(PRICE))
        await say(client, LIVE)
        await eventually(lambda: scene.has_read(LIVE))
        await eventually(scene.idle)
        status = await scene.status()
    assert 0 < status.reading.to_read_again < len(CITIES)
    assert told("Oslo") not in scene.model.read, "the oldest would have been the last"
