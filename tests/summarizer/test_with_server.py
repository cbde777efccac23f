"""The agent without a model, with a real server and PostgreSQL. The user's own sentences become memories."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_summarizer.agent.agent import Agent, AgentOptions
from tellonce_summarizer.models.fallback_chain import FallbackChain
from tests.event_collector import EventCollector
from tests.local_model import with_local_model
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def worked(memory: Memory) -> AsyncIterator[EventCollector]:
    """Run an agent until the queue is empty, then stop it."""
    events = EventCollector()
    stop = asyncio.Event()
    async with memory.agent() as place:
        agent = Agent(place, FallbackChain([]), AgentOptions("test", wait_seconds=0), events)
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


async def talked(memory: Memory, clock: Clock, client: MemoryClient, *texts: str) -> None:
    async with worked(memory) as events:
        for number, text in enumerate(texts):
            clock.forward(minutes=1)
            await tell(client, number, text, clock())
    # The clock jumps by minutes. Therefore a lease can expire before its job is finished. The job is then claimed
    # again.
    assert {"complete"} <= {fields["state"] for fields in events.fields_of("work_done")} <= {"complete", "refused"}
    assert not events.fields_of("claim_failed")


@pytest.mark.model
async def test_sentences_worth_keeping_reach_the_profile_word_for_word_and_others_do_not(
    settings: ServerSettings, clock: Clock
) -> None:
    async with with_local_model(settings, clock) as memory, memory.client() as client:
        await talked(
            memory,
            clock,
            client,
            "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure",
            "Please always give me concise responses with bullet points, I hate long paragraphs",
            "What project did I mention just now?",
            "Thanks, that's great!",
        )
        profile = await client.get_profile(c.GetProfileArgs())
    (job,) = profile.facts
    (wish,) = profile.preferences
    assert job.content == "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure"
    assert wish.content == "Please always give me concise responses with bullet points, I hate long paragraphs"
    assert (job.note, wish.note) == (True, True)
    assert not (profile.goals + profile.dates + profile.uncertain)


async def test_a_long_talk_is_summarised_without_a_gap(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await talked(memory, clock, client, *(f"Message {number}" for number in range(1, 24)))
        summary = await client.summarize_chat(c.SummarizeChatArgs())
    assert summary.coverage.gap == 0
    assert summary.periods
    assert "User: “Message 6”" in summary.periods[0].text
