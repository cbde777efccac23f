"""Imports of whole histories."""

from datetime import UTC, datetime, timedelta

import anyio
import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.queue.summary_jobs import FOLDED
from tellonce_server.services.import_messages import Imported, Importer, ImportMessage
from tellonce_server.store import threads
from tests.hand_worker import drain
from tests.memory_fixtures import USER, Memory

pytestmark = pytest.mark.anyio

START = datetime(2026, 1, 1, tzinfo=UTC)


def history(count: int) -> list[ImportMessage]:
    return [
        ImportMessage(
            role="assistant" if i % 2 else "user",
            content=f"The wifi in room {i} is called tulip{i}" if i == 77 else f"We talked about item {i}",
            message_id=f"telegram:1:{i}",
            sent_at=START + timedelta(minutes=i),
            channel="telegram",
            message_thread_id=5 if i % 10 == 0 else None,
            reply_to_message_id=f"telegram:1:{i - 3}" if i % 17 == 4 else None,
        )
        for i in range(count)
    ]


async def test_an_import_twice_doubles_nothing_and_leaves_no_gap(memory: Memory) -> None:
    services = await memory.storage.services()
    where = ChatScope(USER, USER)
    counts = []
    for _ in range(2):
        importer = Importer(services.deps, where)
        talk = history(300)
        results = [await importer.add(talk[i : i + 100]) for i in range(0, 300, 100)]
        counts.append((sum(r.created for r in results), sum(r.duplicates for r in results)))
    assert counts == [(300, 0), (0, 300)]
    assert await threads.gaps(services.deps.database, USER) == []
    async with memory.client() as client:
        found = await client.search_memory(c.SearchMemoryArgs(query="wifi tulip77"))
        summary = await client.summarize_chat(c.SummarizeChatArgs())
    assert "tulip77" in found.results[0].text
    assert found.results[0].at == START + timedelta(minutes=77)
    assert summary.coverage.gap == 0
    assert summary.backlog.waiting > 5


async def test_two_imports_of_one_history_at_once_store_each_message_once(memory: Memory) -> None:
    deps = (await memory.storage.services()).deps
    results: list[Imported] = []

    async def imported() -> None:
        results.append(await Importer(deps, ChatScope(USER, USER)).add(history(300)))

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(imported)
    assert sorted((r.created, r.duplicates) for r in results) == [(0, 300), (0, 300), (300, 0)]


async def test_of_a_history_imported_at_once_a_rolling_summary_takes_in_the_last_chunks_in_one_piece_of_work(
    memory: Memory,
) -> None:
    importer = Importer((await memory.storage.services()).deps, ChatScope(USER, USER))
    talk = [
        ImportMessage("user", f"We talked about item {i}", f"m{i}", START + timedelta(minutes=i), "telegram")
        for i in range(600)
    ]
    for i in range(0, 600, 100):
        await importer.add(talk[i : i + 100])
    async with memory.agent() as agent:
        done = await drain(agent)
    chunks = [item for item in done if item.kind == "chunk_summary"]
    rolling = [item.input for item in done if isinstance(item.input, w.ThreadInput)]
    assert len(chunks) > FOLDED
    assert {work.level for work in rolling} == {"thread", "session"}
    assert [len(work.chunks) for work in rolling] == [FOLDED] * 2
    assert all(work.chunks[-1].text == f"Summary by {chunks[-1].job_id}" for work in rolling)


async def test_imported_replies_and_topics_fall_into_their_threads(memory: Memory) -> None:
    services = await memory.storage.services()
    importer = Importer(services.deps, ChatScope(USER, USER))
    await importer.add(history(50))
    keys = {thread.thread_key for thread in await threads.of_chat(services.deps.database, USER, USER)}
    assert {"root:42", "topic:42:5"} <= keys
    assert any(key.startswith("reply:42:telegram:1:") for key in keys)
