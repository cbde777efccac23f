"""Tests of a stdio server's own summarizer. Each data folder has one real process. This process starts only if no other
summarizer is running."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.children import service_file
from tellonce.file_lock import is_held
from tellonce.settings import ServerSettings
from tellonce.side_tasks import SideTask, SideTasks
from tellonce_server.app.agent_port import agent_port
from tellonce_server.app.own_summarizer import LOCK_NAME, NOBODY_LEARNS, OwnSummarizer, may_start
from tellonce_server.app.storage import Storage
from tests.memory_fixtures import Memory, opened
from tests.patience import HANGS, until
from tests.server.wire import request, wire_headers

pytestmark = pytest.mark.anyio

LOOK_SECONDS = 0.05


@asynccontextmanager
async def server(settings: ServerSettings, *, may_start: bool) -> AsyncGenerator[Memory]:
    """The storage and the side task of a stdio server, without its pipes."""
    async with opened(Storage(settings)) as memory:
        own = OwnSummarizer(settings, memory.storage, may_start=may_start, look=LOOK_SECONDS)
        async with SideTasks((SideTask("learning", own.run),)).running():
            yield memory


async def notices(memory: Memory) -> tuple[str, ...]:
    async with memory.client() as client:
        return (await client.get_context(c.GetContextArgs(include=()))).notices


async def learned(memory: Memory) -> None:
    """Record one exchange and wait until a summarizer has done its jobs."""
    async with memory.client() as client, memory.agent() as agent:
        said = c.RecordMessageArgs(role="user", content="I moved to Lisbon.", message_id="u")
        await client.record_message(said)
        await client.record_message(
            c.RecordMessageArgs(role="assistant", content="Noted.", message_id="a", exchange_of="u")
        )
        async with asyncio.timeout(HANGS):
            while any(k.pending + k.claimed + k.ready for k in (await agent.queue_status(w.QueueStatusArgs())).kinds):
                pass


def someones_project(folder: Path) -> Path:
    """A folder in which a client starts the server. Its modules have the names of modules that a summarizer imports."""
    for name in ("tellonce_summarizer", "asyncio", "queue"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('the project took over')")
    return folder


async def test_one_server_of_a_folder_starts_a_summarizer_and_the_next_takes_over(
    settings: ServerSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELLONCE_LEARNER", "keep")
    monkeypatch.chdir(someones_project(tmp_path / "project"))
    lock = settings.data_dir / LOCK_NAME
    async with server(settings, may_start=False) as reader:
        silent = reader.storage
        notes = (await silent.services()).deps.notices
        await until(lambda: notes == [NOBODY_LEARNS])
        assert NOBODY_LEARNS in await notices(reader)
        async with AsyncExitStack() as first:
            one = await first.enter_async_context(server(settings, may_start=True))
            await until(lambda: is_held(lock))
            async with server(settings, may_start=True) as other:
                await learned(one)
                await until(lambda: notes == [])
                assert NOBODY_LEARNS not in await notices(other)
                async with reader.tables() as tables:
                    assert len(await tables.fetch("select worker from workers")) == 1
                    before = await tables.fetchval("select worker from workers")
                await first.aclose()
                await until(lambda: is_held(lock))
                async with reader.tables() as tables:
                    assert before not in [row[0] for row in await tables.fetch("select worker from workers")]
        assert not is_held(lock)


async def test_another_summarizer_at_work_is_left_alone(settings: ServerSettings) -> None:
    async with opened(Storage(settings)) as memory, memory.agent() as agent:
        await agent.claim_work(w.ClaimWorkArgs(worker="service", wait_seconds=0))
        async with server(settings, may_start=True) as late:
            notes = (await late.storage.services()).deps.notices
            await asyncio.sleep(4 * LOOK_SECONDS)
            assert notes == []
            assert not is_held(settings.data_dir / LOCK_NAME)


async def test_the_agents_port_answers_only_its_secret_and_only_with_agent_tools(settings: ServerSettings) -> None:
    async with (
        opened(Storage(settings)) as memory,
        agent_port(settings, memory.storage) as port,
        httpx2.AsyncClient(trust_env=False) as http,
    ):
        headers = wire_headers("tools/list")
        refused = await http.post(port.url, json=request("tools/list"), headers=headers)
        wrong = {**headers, "Authorization": f"Bearer {port.token}x"}
        assert refused.status_code == 401
        assert (await http.post(port.url, json=request("tools/list"), headers=wrong)).status_code == 401
        right = {**headers, "Authorization": f"Bearer {port.token}"}
        listed = (await http.post(port.url, json=request("tools/list"), headers=right)).text
        assert "claim_work" in listed
        assert "get_profile" not in listed


async def test_it_may_be_started_unless_the_service_is_installed_or_the_setting_says_no(
    settings: ServerSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert may_start(settings)
    service_file().parent.mkdir(parents=True)
    service_file().touch()
    assert not may_start(settings)
    assert may_start(settings.model_copy(update={"stdio_learns": True}))
    service_file().unlink()
    assert not may_start(settings.model_copy(update={"stdio_learns": False}))
