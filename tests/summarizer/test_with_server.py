"""The offline rung at work for a real server on a real PostgreSQL: what the user says ends up in memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import pytest

from chatmem import contract as c
from chatmem import work as w
from chatmem.client import MemoryClient
from chatmem_summarizer.agent import Agent, Habits
from chatmem_summarizer.ladder import Ladder
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS
from tests.told import Told

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def worked(memory: Memory) -> AsyncIterator[Told]:
    """Lets an agent work off the queue, then stops it."""
    events = Told()
    stop = asyncio.Event()
    async with memory.agent() as place:
        agent = Agent(place, Ladder([]), Habits("test", wait_seconds=0), events)
        task = asyncio.create_task(agent.run(stop))
        yield events
        async with asyncio.timeout(HANGS):
            while await open_jobs(place):
                pass
        stop.set()
        await task


async def open_jobs(place: MemoryClient) -> int:
    status = await place.queue_status(w.QueueStatusArgs())
    return sum(kind.pending + kind.claimed + kind.ready for kind in status.kinds)


async def tell(client: MemoryClient, number: int, text: str, at: datetime) -> None:
    said = c.RecordMessageArgs(role="user", content=text, message_id=f"u{number}", sent_at=at)
    await client.record_message(said)
    answer = c.RecordMessageArgs(
        role="assistant",
        content="Noted.",
        message_id=f"a{number}",
        exchange_of=f"u{number}",
        sent_at=at + timedelta(seconds=5),
    )
    await client.record_message(answer)


async def learned(memory: Memory, clock: Clock, *texts: str) -> c.Profile:
    async with memory.client() as client:
        async with worked(memory) as events:
            for number, text in enumerate(texts):
                clock.forward(minutes=1)
                await tell(client, number, text, clock())
        # The clock jumps by minutes: a lease may end while its job is worked on, which is then done by another claim.
        assert {"complete"} <= {fields["state"] for fields in events.told("work_done")} <= {"complete", "refused"}
        assert not events.told("claim_failed")
        return await client.get_profile(c.GetProfileArgs())


async def test_the_offline_scenarios_reach_the_profile(memory: Memory, clock: Clock) -> None:
    profile = await learned(
        memory,
        clock,
        "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure",
        "Please always give me concise responses with bullet points, I hate long paragraphs",
        "I need to launch the SingPass API integration by Q2 2026",
        "Don't forget my team offsite is on March 15",
        "I might move to Berlin next year, not sure",
        "What project did I mention just now?",
        "Thanks, that's great!",
    )
    assert [m.content for m in profile.facts] == [
        "Works as a Solution Architect at GovTech, mainly doing AWS infrastructure"
    ]
    assert {m.content for m in profile.preferences} == {
        "Always give concise responses with bullet points",
        "Hates long paragraphs",
    }
    (goal,) = profile.goals
    assert goal.deadline == datetime.fromisoformat("2026-06-30T23:59:00+08:00")
    (offsite,) = profile.dates
    assert offsite.content == "Team offsite is on March 15 (2026-03-15)"
    assert offsite.deadline == datetime.fromisoformat("2026-03-15T00:00:00+08:00")
    assert [m.content for m in profile.uncertain] == ["Might move to Berlin next year (in 2027)"]


async def test_moving_supersedes_where_somebody_lived(memory: Memory, clock: Clock) -> None:
    profile = await learned(memory, clock, "I live in Singapore", "I moved to Lisbon last week")
    assert [m.content for m in profile.facts] == ["Lives in Lisbon; moved there last week (week of 2026-02-09)"]


async def test_a_long_talk_is_summarised_without_a_gap(memory: Memory, clock: Clock) -> None:
    await learned(memory, clock, *(f"Message {number}" for number in range(1, 24)))
    async with memory.client() as client:
        summary = await client.summarize_chat(c.SummarizeChatArgs())
    assert summary.coverage.gap == 0
    assert summary.periods
    assert "Message 3" in summary.periods[0].text
