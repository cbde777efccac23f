"""Receipts are written after the answer. `explain` can use a receipt at once, and no receipt is missing after an
orderly end."""

import asyncio

import anyio
import pytest

from tellonce import contract as c
from tellonce.client import MemoryRefused
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.services.page.reads import PageAnswerArgs, PageAnswersArgs
from tellonce_server.store import receipts
from tellonce_server.store.database import POOL_SIZE, Transaction
from tests.memory_fixtures import USER, WAITING, Clock, Memory, forget, opened, until_waiting
from tests.patience import HANGS


@pytest.mark.anyio
async def test_a_receipt_is_there_for_whoever_asks_at_once_and_after_an_orderly_end(
    settings: ServerSettings, clock: Clock
) -> None:
    async with opened(Storage(settings, clock)) as memory, memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="I live in Oslo", message_id="1"))
        args = c.GetContextArgs(query="Oslo", exclude_message_id="1")
        first = (await client.get_context(args)).receipt_id
        assert (await client.explain(c.ExplainArgs(receipt_id=first))).id == first
        second = (await client.get_context(args)).receipt_id
        assert set((await client.explain(c.ExplainArgs(message_id="1"))).receipts) == {first, second}
        last = (await client.get_context(args)).receipt_id
    async with opened(Storage(settings, clock)) as memory, memory.client() as client:
        assert (await client.explain(c.ExplainArgs(receipt_id=last))).id == last


@pytest.mark.anyio
async def test_a_receipt_of_a_conversation_is_explained_to_its_owner_alone(memory: Memory) -> None:
    async with memory.client() as mine, memory.client(43) as other, memory.relay() as relay:
        await mine.record_message(c.RecordMessageArgs(role="user", content="I live in Oslo", conversation_id="plan"))
        context = await mine.get_context(c.GetContextArgs(conversation_id="plan", query="Oslo"))
        receipt = c.ExplainArgs(receipt_id=context.receipt_id)
        assert "Oslo" in (await mine.explain(receipt)).text
        for client, chat_id in ((other, None), (relay, -200)):
            with pytest.raises(MemoryRefused, match="No receipt"):
                await client.explain(receipt.model_copy(update={"chat_id": chat_id}))


@pytest.mark.anyio
async def test_the_page_shows_the_text_of_an_answer(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="The mileage?", message_id="2"))
        context = await client.get_context(c.GetContextArgs(query="The mileage?", exclude_message_id="2"))
        clock.forward(minutes=1)
        said = c.RecordMessageArgs(role="assistant", content="I do not know", message_id="3", exchange_of="2")
        await client.record_message(said)
    reads = (await memory.storage.services()).page
    seen = await reads.answer(USER, PageAnswerArgs(receipt_id=context.receipt_id))
    assert seen.replies == ("I do not know",)


@pytest.mark.anyio
async def test_after_something_was_forgotten_the_page_says_that_the_records_of_answers_went_with_it(
    memory: Memory,
) -> None:
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="My locker code is 4417"))
        await client.get_context(c.GetContextArgs(query="weather"))
        reads = (await memory.storage.services()).page
        await client.explain(c.ExplainArgs(message_id="1"))
        before = await reads.answers(USER, PageAnswersArgs())
        await forget(client, topic="locker code")
        after = await reads.answers(USER, PageAnswersArgs())
    assert (len(before.answers), before.erased, after.answers, after.erased) == (1, False, (), True)


@pytest.mark.anyio
async def test_no_receipt_that_waits_to_be_written_survives_an_erasure(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, add = asyncio.Event(), receipts.add

    async def late(*args: object) -> None:
        await gate.wait()
        await add(*args)  # passed on unchanged

    monkeypatch.setattr(receipts, "add", late)
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="user", content="My locker code is 4417"))
        shown = await client.get_context(c.GetContextArgs(query="locker code"))
        assert "4417" in (shown.context or "")
        await forget(client, topic="locker code")
        gate.set()
        await (await memory.storage.services()).receipts.written()
    async with memory.tables() as tables:
        assert await tables.fetchval("select count(*) from context_receipts") == 0


@pytest.mark.anyio
async def test_an_unreachable_database_costs_the_receipt_and_not_the_answer(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*args: object) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(receipts, "add", away)
    async with memory.client() as client:
        for _ in range(receipts.MOST_PENDING + 2):
            shown = await client.get_context(c.GetContextArgs())
            assert shown.receipt_id
        await (await memory.storage.services()).receipts.written()


@pytest.mark.anyio
async def test_the_sections_of_a_receipt_are_stored_without_compressing_them(memory: Memory) -> None:
    async with memory.client() as client, memory.tables() as reader:
        for number in range(40):
            await client.record_message(
                c.RecordMessageArgs(role="user", content=f"I live in Oslo, at house {number}. " * 4)
            )
        shown = await client.get_context(c.GetContextArgs(query="Where do I live?"))
        assert "house 39" in (await client.explain(c.ExplainArgs(receipt_id=shown.receipt_id))).text
        method = (
            "select pg_column_compression(sections) as method, pg_column_size(sections) as size from context_receipts"
        )
        row = await reader.fetchrow(method)
    assert row is not None
    assert row["size"] > 4_000
    assert row["method"] is None


@pytest.mark.anyio
async def test_only_the_commit_of_a_receipt_does_not_wait_for_the_disk(memory: Memory, clock: Clock) -> None:
    database = (await memory.storage.services()).deps.database
    receipt = _receipt("r1", clock)
    async with database.transaction() as t:
        await receipts.add(t, receipt, erasures=0)
        assert await committing(t) == "off"
    async with database.transaction() as t:
        assert await committing(t) == "on"
    assert await receipts.find(database, USER, "r1") is not None


@pytest.mark.anyio
async def test_receipts_that_cannot_be_written_leave_connections_for_calls(memory: Memory, clock: Clock) -> None:
    database = (await memory.storage.services()).deps.database
    keeper = receipts.ReceiptKeeper(database)
    ids = [f"r{number}" for number in range(2 * POOL_SIZE)]
    async with memory.tables() as tables, memory.tables() as other:
        async with tables.transaction():
            await tables.execute("lock table context_receipts in access exclusive mode")
            for receipt_id in ids:
                await keeper.keep(_receipt(receipt_id, clock), erasures=0)
            await until_waiting(other, receipts.CONNECTIONS)
            with anyio.fail_after(HANGS):
                async with memory.client() as client:
                    await client.record_message(c.RecordMessageArgs(role="user", content="I live in Oslo"))
            assert await other.fetchval(WAITING) == receipts.CONNECTIONS
        await keeper.written()
        assert await tables.fetchval("select count(*) from context_receipts") == len(ids)


def _receipt(receipt_id: str, clock: Clock) -> receipts.Receipt:
    return receipts.Receipt(USER, USER, receipt_id, "main", None, 4_000, 10, False, None, [], {}, [], clock())


async def committing(t: Transaction) -> str:
    return str(await t._connection.fetchval("show synchronous_commit"))
