"""“What did we talk about in February?” is answered with the words of that time, from all of the owner's own chats."""

from datetime import datetime, timedelta

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import phrase
from tellonce_relay.commands.period_summary import LINES
from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import ZONE, relaying

pytestmark = pytest.mark.anyio


async def test_a_named_month_is_answered_with_what_was_said_in_it_oldest_first(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api, memory.client() as client:
        told = (
            ("I quit my job", 12, 5),
            ("Which job?", 12, 6),
            ("The boat is sold", 12, 3),
            ("I live in Rome", 11, 30),
        )
        for text, month, day in told:
            at = datetime(2025, month, day, 12, tzinfo=ZONE)
            await client.record_message(
                c.RecordMessageArgs(role="user", content=text, sent_at=at, conversation_id="other")
            )
        asked = ("What did we talk about in December 2025?", "/summary in December 2025", "/summary in March 2024")
        for count, text in enumerate(asked, 1):
            shown = await api.ask(text, replies=count)
    head, *lines = shown[0].splitlines()
    assert head == phrase("summary.said_in", period="Dec 1, 2025 – Dec 31, 2025")
    assert [line.partition(": ")[2] for line in lines] == ["“The boat is sold”", "“I quit my job”"]
    assert shown[1] == shown[0]
    assert shown[2] == phrase("summary.none_in", period="Mar 1, 2024 – Mar 31, 2024")


async def test_a_long_period_is_cut_and_the_answer_says_so(memory: Memory, clock: Clock) -> None:
    async with relaying(memory, clock=clock) as api, memory.client() as client:
        for number in range(LINES + 1):
            at = clock() - timedelta(days=40, minutes=number)
            await client.record_message(c.RecordMessageArgs(role="user", content=f"I ran {number} miles", sent_at=at))
        (shown,) = await api.ask("/summary in January 2026", replies=1)
    assert shown.splitlines()[-1] == phrase("summary.more_in")
    assert len(shown.splitlines()) == LINES + 2


async def test_without_a_time_the_summary_is_that_of_the_chat(memory: Memory) -> None:
    async with relaying(memory) as api:
        (shown,) = await api.ask("/summary", replies=1)
    assert phrase("summary.said_in", period="").split(",")[0] not in shown
