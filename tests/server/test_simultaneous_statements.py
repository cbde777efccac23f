"""A statement that two callers store at the same time becomes one memory."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tests.hand_worker import exchange, item, submit
from tests.memory_fixtures import USER, Memory, until_waiting
from tests.patience import HANGS

pytestmark = pytest.mark.anyio

SAID = "I work as a nurse in Oslo"
PROJECT = "notes"


async def remember(client: MemoryClient) -> None:
    await client.remember(c.RememberArgs(content=SAID))


async def learned(agent: MemoryClient, job: w.WorkItem) -> None:
    """Submit the statement as the result of an exchange job."""
    await submit(agent, job, exchange(item(job.input, SAID)), "claude")


async def at_once(memory: Memory, *calls: Callable[[], Awaitable[None]]) -> None:
    """Run the calls together. A lock delays the calls until all of them wait for the lock."""
    async with memory.tables() as held, memory.tables() as watch:
        await held.execute("insert into user_profile (owner_id) values ($1) on conflict do nothing", USER)
        with anyio.fail_after(HANGS):
            async with anyio.create_task_group() as running, held.transaction():
                await held.execute("select from user_profile where owner_id = $1 for update", USER)
                for call in calls:
                    running.start_soon(call)
                await until_waiting(watch, len(calls))


@pytest.mark.parametrize("also", ["extraction", "remember"])
async def test_a_statement_learned_in_two_places_at_once_is_stored_once(memory: Memory, also: str) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for place in ({}, {"conversation_id": PROJECT}):
            await client.record_message(c.RecordMessageArgs.model_validate({"role": "user", "content": SAID, **place}))
            await client.record_message(
                c.RecordMessageArgs.model_validate({"role": "assistant", "content": "I see.", **place})
            )
        jobs = (await agent.claim_work(w.ClaimWorkArgs(worker="reader", best_tier="claude", limit=2))).jobs
        assert [job.kind for job in jobs] == ["exchange", "exchange"]
        first, second = jobs
        other = (lambda: learned(agent, second)) if also == "extraction" else (lambda: remember(client))
        await at_once(memory, lambda: learned(agent, first), other)
        facts = (await client.get_profile(c.GetProfileArgs())).facts
    assert [fact.content for fact in facts] == [SAID]
