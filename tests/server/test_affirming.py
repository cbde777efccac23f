"""What the user says holds, holds alone: an older word for it or against it gives way."""

import pytest

from chatmem import contract as c
from chatmem.client import MemoryClient
from chatmem_server.memories.statements import NEWEST
from tests.memory_fixtures import USER, Memory

pytestmark = pytest.mark.anyio

BERLIN, LISBON = "I live in Berlin", "I live in Lisbon"


async def statuses(client: MemoryClient, *ids: int) -> list[str]:
    found = [await client.explain(c.ExplainArgs(memory_id=number)) for number in ids]
    return [explained.memory.status for explained in found if explained.memory is not None]


async def remembered(client: MemoryClient, *texts: str) -> list[int]:
    return [(await client.remember(c.RememberArgs(content=text))).memory.id for text in texts]


async def test_a_superseded_memory_that_is_reopened_supersedes_its_successor(memory: Memory) -> None:
    async with memory.client() as client:
        berlin, lisbon = await remembered(client, BERLIN, LISBON)
        before = await statuses(client, berlin, lisbon)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=berlin, action="reopen"))
        after = await client.explain(c.ExplainArgs(memory_id=lisbon))
        profile = await client.get_profile(c.GetProfileArgs())
    assert before == ["superseded", "active"]
    assert after.memory is not None
    assert (after.memory.status, after.memory.superseded_by) == ("superseded", berlin)
    assert [m.content for m in profile.facts] == [BERLIN]


async def test_a_doubt_that_is_confirmed_supersedes_what_it_contradicts(memory: Memory) -> None:
    async with memory.client() as client:
        berlin, tea = await remembered(client, BERLIN, "I like tea")
        (lisbon,) = await remembered(client, "My sister works in Lisbon")
        async with memory.tables() as tables:
            doubt = "update memories set status = 'uncertain', content = $3 where owner_id = $1 and id = $2"
            await tables.execute(doubt, USER, lisbon, LISBON)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=lisbon, action="confirm"))
        assert await statuses(client, berlin, tea, lisbon) == ["superseded", "active", "active"]


async def test_an_edit_supersedes_what_the_new_words_contradict(memory: Memory) -> None:
    async with memory.client() as client:
        berlin, other = await remembered(client, BERLIN, "I visited Lisbon")
        await client.update_memory(c.UpdateMemoryArgs(memory_id=other, action="edit", content=LISBON))
        assert await statuses(client, berlin, other) == ["superseded", "active"]


async def test_a_new_value_supersedes_the_old_one_however_much_was_remembered_between(memory: Memory) -> None:
    async with memory.client() as client:
        (berlin,) = await remembered(client, BERLIN)
        await remembered(client, *(f"Saw bird number {n}" for n in range(NEWEST)))
        (lisbon,) = await remembered(client, "Moved to Lisbon")
        assert await statuses(client, berlin, lisbon) == ["superseded", "active"]


async def test_what_is_confirmed_once_more_leaves_all_as_it_was(memory: Memory) -> None:
    async with memory.client() as client:
        ids = await remembered(client, BERLIN, "I like tea", "I work in Lisbon")
        await client.update_memory(c.UpdateMemoryArgs(memory_id=ids[0], action="confirm"))
        assert await statuses(client, *ids) == ["active"] * 3


async def test_what_a_rejected_memory_had_replaced_holds_again(memory: Memory) -> None:
    async with memory.client() as client:
        berlin, tea, lisbon = await remembered(client, BERLIN, "I like tea", LISBON)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=lisbon, action="reject"))
        profile = await client.get_profile(c.GetProfileArgs())
        assert await statuses(client, berlin, tea, lisbon) == ["active", "active", "rejected"]
    assert [m.content for m in profile.facts] == [BERLIN]


async def test_rejecting_a_memory_that_was_replaced_itself_brings_nothing_back(memory: Memory) -> None:
    async with memory.client() as client:
        berlin, lisbon, oslo = await remembered(client, BERLIN, LISBON, "I live in Oslo")
        await client.update_memory(c.UpdateMemoryArgs(memory_id=lisbon, action="reject"))
        assert await statuses(client, berlin, lisbon, oslo) == ["superseded", "rejected", "active"]
