"""During an outage of the model, texts are written without it. When the model is available again, they are rewritten
exactly once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce_llm.breaker import Breaker, Guarded
from tellonce_llm.claude import Claude
from tellonce_summarizer.agent.agent import Agent, AgentOptions
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.event_collector import EventCollector
from tests.hand_worker import submit
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.replies import Fail, Reply
from tests.stubs.stub import Asked
from tests.stubs.summarizer_model import competent

pytestmark = pytest.mark.anyio

PROVISIONAL = """
    select place from (
      select 'chunk ' || from_id as place from conversation_summaries where kind = 'chunk' and provisional
      union all select kind || ' ' || thread_key from conversation_summaries where kind <> 'chunk' and provisional
      union all select 'profile' from user_profile where provisional
      union all select 'canonical' from chat_metadata where provisional
      union all select 'job ' || kind from chat_context_queue where provisional) texts"""
OPEN = "select count(*) from chat_context_queue where state in ('pending_summarization', 'ready_to_write')"
TEXTS = """
    select kind, text from conversation_summaries where kind <> 'chunk'
    union all select 'profile', narrative from user_profile"""


@dataclass
class Model:
    """A provider with outages, and a breaker whose pause the test can end."""

    stub: AnthropicStub
    chain: FallbackChain
    breaker: Breaker
    seconds: list[float]

    def returns(self) -> None:
        """End the outage and the breaker's pause."""
        self.stub.script = competent
        self.seconds[0] += 10_000


@dataclass
class Scene:
    memory: Memory
    clock: Clock
    model: Model
    events: EventCollector = field(default_factory=EventCollector)

    async def talk(self, client: MemoryClient, exchanges: int, start: int = 0) -> None:
        for number in range(start, start + exchanges):
            self.clock.forward(minutes=1)
            said = "I live in Singapore" if number == 0 else f"My bicycle number {number} is blue"
            await client.record_message(
                c.RecordMessageArgs(role="user", content=said, message_id=f"u{number}", sent_at=self.clock())
            )
            await client.record_message(
                c.RecordMessageArgs(role="assistant", content="Noted.", exchange_of=f"u{number}", sent_at=self.clock())
            )

    async def provisional(self) -> set[str]:
        async with self.memory.tables() as tables:
            return {row["place"] for row in await tables.fetch(PROVISIONAL)}

    async def texts(self) -> dict[str, str]:
        async with self.memory.tables() as tables:
            return {row["kind"]: row["text"] for row in await tables.fetch(TEXTS)}

    async def idle(self) -> None:
        """Wait until the queue is empty."""
        async with asyncio.timeout(HANGS), self.memory.tables() as tables:
            while await tables.fetchval(OPEN):
                pass

    async def until_nothing_is_provisional(self) -> None:
        async with asyncio.timeout(HANGS):
            while await self.provisional():
                pass
        await self.idle()

    @asynccontextmanager
    async def away_for(self, exchanges: int) -> AsyncIterator[MemoryClient]:
        """Record exchanges and wait until the agent has done the resulting jobs without the model."""
        async with self.memory.client() as client:
            await self.talk(client, exchanges)
            async with self.agent():
                await self.idle()
                yield client

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[None]:
        stop = asyncio.Event()
        async with self.memory.agent() as place:
            agent = Agent(place, self.model.chain, AgentOptions("test", wait_seconds=0), self.events)
            task = asyncio.create_task(agent.run(stop))
            yield
            stop.set()
            await task


@pytest.fixture
async def scene(memory: Memory, clock: Clock) -> AsyncIterator[Scene]:
    async with AnthropicStub(away) as stub, aclosing(Claude("key", base_url=stub.url)) as claude:
        seconds = [0.0]
        breaker = Breaker(clock=lambda: seconds[0])
        chain = FallbackChain([Step(Guarded(claude, breaker), 15.0)])
        yield Scene(memory, clock, Model(stub, chain, breaker, seconds))


def away(asked: Asked) -> Reply:
    return Fail(529, kind="overloaded_error")


async def test_every_text_written_without_the_model_is_rewritten_when_it_returns(scene: Scene) -> None:
    async with scene.away_for(25) as client:
        left = await scene.provisional()
        before = await scene.texts()
        scene.model.returns()
        await scene.until_nothing_is_provisional()
        after = await scene.texts()
        context = await client.get_context(c.GetContextArgs())
    assert {"thread root:42", "session session:42", "canonical", "chunk 1", "job exchange"} <= left
    assert set(after) == {"thread", "session", "profile"}
    assert all(after[kind] != before.get(kind) for kind in after)
    assert after["profile"] in (context.context or "")
    assert after["thread"].startswith("The user spoke of this: ")


async def test_coming_back_costs_no_more_calls_than_there_were_exchanges(scene: Scene) -> None:
    async with scene.away_for(25):
        asked = len(scene.model.stub.asked)
        scene.model.returns()
        await scene.until_nothing_is_provisional()
    assert len(scene.model.stub.asked) - asked <= 25


async def test_an_answer_that_was_of_no_use_twice_is_not_asked_for_again(scene: Scene) -> None:
    useless = w.ModelCall(model="claude", tier="claude", ok=False, note="not JSON")
    provisional: list[bool] = []
    async with scene.memory.client() as client, scene.memory.agent() as place:
        await scene.talk(client, 1)
        for _ in range(2):
            (job,) = (await due(place)).jobs
            await submit(place, job, calls=(useless,), provisional=True)
            provisional.append("job exchange" in await scene.provisional())
        again = await due(place)
    assert provisional == [True, False]
    assert again.jobs == ()


async def due(place: MemoryClient) -> w.ClaimedWork:
    """The jobs that are due while Claude is available. A claim that returns no job requeues provisional results."""
    args = w.ClaimWorkArgs(worker="one", best_tier="claude")
    claimed = await place.claim_work(args)
    return claimed if claimed.jobs else await place.claim_work(args)
