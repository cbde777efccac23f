"""The table of faults in docs/explanation/reliability.md: for each fault, the message to the user, the stored data, and
the recovery without an operator."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.settings import ServerSettings
from tellonce_llm.breaker import Guarded
from tellonce_llm.claude import Claude
from tellonce_llm.ollama import Ollama
from tellonce_server.app.storage import Storage
from tellonce_server.postgres.embedded_cluster import postmaster
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_summarizer.agent.agent import Agent, AgentOptions
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.event_collector import EventCollector
from tests.hand_worker import claim, drain, submit, talk
from tests.memory_disk import fill, small_disk
from tests.memory_fixtures import Clock, Memory, opened, session
from tests.patience import HANGS, until
from tests.server.processes import http_server
from tests.server.wire import request, wire_headers
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import MISBEHAVIOURS, Reply, say_json, seconds_for
from tests.stubs.summarizer_model import competent

pytestmark = pytest.mark.anyio

WAITS = "select exists (select from pg_locks where objid = 4711 and not granted)"

OUTAGES = ("hang", "429", "500", "garbage")


@pytest.fixture(scope="module", autouse=True)
def no_proxies() -> Iterator[None]:
    """Use no proxy, because the stubs are on loopback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "*")
        yield


async def work_off(memory: Memory, model: Claude | Ollama, seconds: float = HANGS) -> w.QueueStatus:
    """Run a real agent with this model until no job is open. Returns the queue's status."""
    stop = asyncio.Event()
    chain = FallbackChain([Step(Guarded(model), seconds)])
    async with memory.agent() as place:
        agent = asyncio.create_task(
            Agent(place, chain, AgentOptions("test", wait_seconds=0), EventCollector()).run(stop)
        )

        async def finished() -> w.QueueStatus | None:
            status = await place.queue_status()
            return None if any(kind.pending + kind.claimed + kind.ready for kind in status.kinds) else status

        status: w.QueueStatus = await until(finished)
        stop.set()
        await agent
    await model.aclose()
    return status


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        *((name, MISBEHAVIOURS[name]) for name in (*OUTAGES, "refusal")),
        ("wrong schema", say_json({"colour": "blue"})),
    ],
)
async def test_a_model_that_misbehaves_costs_no_job_an_attempt_and_its_work_is_done_without_it(
    memory: Memory, name: str, reply: Reply
) -> None:
    async with memory.client() as client, AnthropicStub(reply) as stub:
        await client.record_message(c.RecordMessageArgs(role="user", content="I live in Singapore", message_id="u0"))
        await client.record_message(c.RecordMessageArgs(role="assistant", content="Noted", exchange_of="u0"))
        status = await work_off(memory, _claude(stub), seconds_for(reply))
        context = await client.get_context(c.GetContextArgs())
    assert status.dead_letters == ()
    assert context.coverage.gap == 0
    assert [(by.tier, by.exchanges) for by in status.reading.read_by] == [("keep", 1)]
    assert [down.tier for down in status.providers_down] == (["claude"] if name in OUTAGES else [])


async def test_what_was_done_without_the_model_is_done_again_by_it_when_it_is_back(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, AnthropicStub(MISBEHAVIOURS["500"]) as stub:
        await talk(client, 1)
        before = await work_off(memory, _claude(stub))
        stub.script = competent
        clock.forward(minutes=10)
        await talk(client, 8, start=1)
        after = await work_off(memory, _claude(stub))
        # If a text is derived from other texts, it is redone after these texts.
        again = [await work_off(memory, _claude(stub)) for _ in range(2)][-1]
        async with memory.agent() as agent:
            left = (await agent.claim_work(w.ClaimWorkArgs(worker="x", best_tier="claude"))).jobs
    assert [down.reason[:16] for down in before.providers_down] == ["claude-haiku-4-5"]
    assert after.providers_down == again.providers_down == ()
    assert left == ()


async def test_an_ollama_that_is_not_there_is_named_and_nobody_waits_for_it(memory: Memory) -> None:
    async with memory.client() as client:
        await talk(client, 1)
        status = await work_off(memory, Ollama("http://127.0.0.1:9", "llama3.2"))
    assert [(down.model, down.tier) for down in status.providers_down] == [("llama3.2", "ollama")]
    assert status.dead_letters == ()


def _claude(stub: AnthropicStub) -> Claude:
    return Claude("test-key", base_url=stub.url)


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Memory]:
    """A memory with its own embedded PostgreSQL, which the test breaks."""
    settings = ServerSettings.model_validate(
        {"data_dir": tmp_path / "data", "user_ids": (42,), "timezone": "Asia/Singapore", "embeddings": "none"}
    )
    async with opened(Storage(settings)) as memory:
        yield memory
    shutil.rmtree(_cluster(settings).cluster, ignore_errors=True)


def _cluster(settings: ServerSettings) -> EmbeddedPostgres:
    return EmbeddedPostgres(settings.data_dir / "postgres")


async def test_a_killed_postgresql_is_restarted_and_callers_are_asked_to_call_again(
    alone: Memory,
) -> None:
    async with alone.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="Before", message_id="1"))
        head = postmaster(_cluster(alone.settings).cluster)
        assert head is not None
        os.kill(head, signal.SIGKILL)
        told = await _insist(client, c.RecordMessageArgs(role="user", content="Meanwhile", message_id="2"))
        context = await client.get_context(c.GetContextArgs())
    assert told
    assert all("does not answer now" in sentence for sentence in told)
    assert (context.context or "").count("Meanwhile") == 1
    assert "Before" in (context.context or "")


async def _insist(client: MemoryClient, args: c.RecordMessageArgs) -> list[str]:
    """Repeat the call until the message is recorded. Returns the errors of the failed calls."""
    told: list[str] = []

    async def recorded() -> bool:
        try:
            await client.record_message(args)
        except MemoryUnreachable as error:
            told.append(str(error))
            return False
        return True

    await until(recorded)
    return told


@pytest.fixture
def disk() -> Iterator[Path]:
    with small_disk("160m") as place:
        yield place


async def test_a_full_disk_is_named_loses_nothing_and_is_over_when_there_is_space(disk: Path) -> None:
    home = disk / "data"
    settings = ServerSettings.model_validate(
        {"data_dir": home, "user_ids": (42,), "timezone": "Asia/Singapore", "embeddings": "none"}
    )
    storage = Storage(settings)
    async with storage.running():
        await storage.services()
        assert disk in _cluster(settings).cluster.parents
        memory = Memory(storage, settings)
        async with memory.client() as client:
            acknowledged, refused = await _until_full(client, disk / "ballast")
            (disk / "ballast").unlink()
            await _insist(client, c.RecordMessageArgs(role="user", content="There is space", message_id="last"))
            stored = (await client.get_profile(c.GetProfileArgs())).conversation.messages
    assert "free some space" in refused or "does not answer now" in refused
    # A message can be stored even if its answer was an error. The client can send the message again safely.
    assert stored - acknowledged in (1, 2)


async def _until_full(client: MemoryClient, ballast: Path) -> tuple[int, str]:
    """Fill the disk, then write until writing fails. Returns the number of acknowledged messages, and the error."""
    acknowledged = 0
    fill(ballast)
    try:
        while True:
            text = f"Message {acknowledged} " + "of words that fill the disk " * 500
            await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=str(acknowledged)))
            acknowledged += 1
    except MemoryUnreachable as error:
        return acknowledged, str(error)


async def test_a_slow_disk_slows_writers_down_and_nobody_else(memory: Memory, dsn: str) -> None:
    async with memory.client() as client, AsyncExitStack() as stack:
        await talk(client, 1)
        connection = await asyncpg.connect(dsn)
        stack.push_async_callback(connection.close)
        await connection.execute(
            "create function slow() returns trigger language plpgsql as "
            "$$ begin perform pg_advisory_xact_lock(4711); return new; end $$;"
            "create trigger slow before insert on messages for each row execute function slow();"
            "select pg_advisory_lock(4711)"
        )
        writing = asyncio.create_task(
            client.record_message(c.RecordMessageArgs(role="user", content="Slowly", message_id="slow"))
        )
        await until(lambda: connection.fetchval(WAITS))
        context = await client.get_context(c.GetContextArgs())
        assert not writing.done()
        await connection.execute("select pg_advisory_unlock(4711)")
        recorded = await writing
    assert "Slowly" not in (context.context or "")
    assert recorded.outcome == "created"


@pytest.mark.parametrize("jump", [{"days": 2}, {"days": -2}])
async def test_a_clock_that_jumps_neither_loses_a_job_nor_lets_it_be_done_twice(
    memory: Memory, clock: Clock, jump: dict[str, float]
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        first = await claim(agent)
        clock.forward(**jump)
        second = await claim(agent, worker="two")
        with pytest.raises(MemoryRefused, match="no longer yours"):
            await submit(agent, first)
        await submit(agent, second)
        await talk(client, 1, start=1)
        done = await drain(agent)
        status = await agent.queue_status()
    assert second.job_id == first.job_id
    assert "exchange" in {item.kind for item in done}
    assert status.kinds == ()


async def test_a_client_that_disconnects_during_a_call_leaves_the_message_once_or_not_at_all(
    tmp_path: Path, dsn: str
) -> None:
    async with http_server(tmp_path / "data", dsn) as server, httpx2.AsyncClient() as http:
        headers = {**server.headers(), **wire_headers("tools/call", "record_message")}

        async def record(n: int) -> httpx2.Response:
            message = {"role": "user", "content": f"Message {n}", "message_id": f"m{n}"}
            body = request("tools/call", name="record_message", arguments=message)
            return await http.post(server.url, json=body, headers=headers)

        for n in range(10):
            call = asyncio.create_task(record(n))
            await asyncio.sleep(0.002 * n)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        whole = [await record(n) for n in range(10)]
    async with session(dsn) as connection:
        stored = await connection.fetch("select ext_id, count(*) as n from messages group by 1")
        jobs = await connection.fetchval("select count(*) from chat_context_queue")
    assert all(found.status_code == 200 for found in whole)
    assert {row["ext_id"]: row["n"] for row in stored} == {f"m{n}": 1 for n in range(10)}
    assert jobs == 1


async def test_more_calls_than_connections_wait_their_turn(memory: Memory) -> None:
    async with memory.client() as client:
        await talk(client, 1)
        contexts = await asyncio.gather(*(client.get_context(c.GetContextArgs(query=f"bikes {n}")) for n in range(100)))
    assert [context.coverage.gap for context in contexts] == [0] * 100


async def test_ten_thousand_waiting_jobs_are_handed_out_oldest_first_and_counted(memory: Memory, dsn: str) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        connection = await asyncpg.connect(dsn)
        await connection.execute(
            "insert into chat_context_queue (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id, "
            "exchanges, not_before, created_at) select owner_id, chat_id, id + n, kind, thread_key, 'more:' || n, from_id, "
            "to_id, 0, not_before, created_at from chat_context_queue, generate_series(1, 10000) n"
        )
        await connection.execute("update chats set last_job_id = last_job_id + 10000")
        await connection.close()
        status = await agent.queue_status()
        done: list[str] = []
        for _ in range(20):
            (job,) = (await agent.claim_work(w.ClaimWorkArgs(worker="one", limit=5))).jobs
            await submit(agent, job)
            done.append(job.job_id)
        summary = await client.summarize_chat(c.SummarizeChatArgs())
    assert [(kind.kind, kind.pending) for kind in status.kinds] == [("exchange", 10_001)]
    assert done == [f"42:42:{n}" for n in range(1, 21)]
    assert summary.backlog.waiting >= 9_980
