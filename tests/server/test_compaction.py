"""A thread without new messages is summarized even if no further message is sent. Its summaries are read in pages."""

import pytest

from tellonce import contract as c
from tellonce.client import MemoryRefused
from tellonce_server.domain.queue.compaction import compact_silent
from tellonce_server.services import chat_summary
from tests.hand_worker import drain, talk
from tests.memory_fixtures import Clock, Memory

pytestmark = pytest.mark.anyio


async def test_a_thread_that_falls_silent_is_compacted_once_by_the_servers_clock(memory: Memory, clock: Clock) -> None:
    deps = (await memory.storage.services()).deps
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 16)
        clock.forward(hours=23)
        assert await compact_silent(deps) == 0
        clock.forward(hours=2)
        assert await compact_silent(deps) == 1
        assert await compact_silent(deps) == 0
        await drain(agent)
        summary = await client.summarize_chat(c.SummarizeChatArgs())
        context = await client.get_context(c.GetContextArgs())
    assert [period.count for period in summary.periods] == [12]
    assert summary.coverage == c.Coverage(verbatim=20, summarised=12, pending=0, gap=0)
    assert "[Summary | Feb 16]: " in (context.context or "")


async def test_a_short_thread_stays_verbatim_however_long_it_is_silent(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await talk(client, 14)
    clock.forward(days=300)
    assert await compact_silent((await memory.storage.services()).deps) == 0


async def test_summaries_are_read_in_pages_the_newest_first(
    memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_summary, "PERIODS", 2)
    async with memory.client() as client, memory.agent() as agent:
        for start in range(0, 60, 10):
            await talk(client, 10, start)
            clock.forward(hours=30)
        await drain(agent)
        pages: list[c.ChatSummary] = []
        cursor = None
        while not pages or cursor is not None:
            view = await client.summarize_chat(c.SummarizeChatArgs(cursor=cursor))
            cursor = view.next_cursor
            pages.append(view)
        with pytest.raises(MemoryRefused, match="not a cursor"):
            await client.summarize_chat(c.SummarizeChatArgs(cursor="yesterday"))
    assert [len(page.periods) for page in pages[:-1]] == [2] * (len(pages) - 1)
    assert len(pages) > 1
    periods = [period for page in reversed(pages) for period in page.periods]
    assert [p.from_at for p in periods] == sorted(p.from_at for p in periods)
    assert len({p.id for p in periods}) == len(periods)
    assert sum(p.count for p in periods) == pages[0].coverage.summarised
