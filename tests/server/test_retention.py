"""Old receipts and finished jobs are deleted; messages, provisional jobs and sums of costs stay."""

from datetime import timedelta

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.settings import Retention, ServerSettings
from tellonce_server.app import background
from tellonce_server.app.background import BATCH, LOCK
from tellonce_server.app.storage import Storage
from tests.hand_worker import claim, drain, submit, talk
from tests.memory_fixtures import USER, Clock, Memory, opened

pytestmark = pytest.mark.anyio


async def prune(memory: Memory) -> int:
    services = await memory.storage.services()
    await services.receipts.written()
    return await background.prune(services.deps)


async def count(memory: Memory, table: str) -> int:
    async with memory.tables() as tables:
        return int(await tables.fetchval(f"select count(*) from {table}"))


async def test_a_receipt_shows_its_context_word_for_word_until_it_is_too_old(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await talk(client, 3)
        shown = await client.get_context(c.GetContextArgs(query="bikes"))
        clock.forward(days=29)
        await prune(memory)
        again = await client.explain(c.ExplainArgs(receipt_id=shown.receipt_id))
        assert "\n\n".join(section.text for section in again.sections) == shown.context
        clock.forward(days=2)
        assert await prune(memory) == 1
    assert await count(memory, "context_receipts") == 0


async def test_a_chat_keeps_its_newest_receipts(settings: ServerSettings, clock: Clock) -> None:
    few = settings.model_copy(update={"retention": Retention(receipts_per_chat=3)})
    async with opened(Storage(few, clock)) as memory, memory.client() as client, memory.relay() as relay:
        shown: list[str] = []
        for _ in range(5):
            clock.forward(minutes=1)
            shown.append(str((await client.get_context(c.GetContextArgs(query="bikes"))).receipt_id))
        await relay.get_context(c.GetContextArgs(query="bikes", chat_id=43))
        assert await prune(memory) == 2
        async with memory.tables() as tables:
            left = await tables.fetch("select id from context_receipts where owner_id = $1 order by created_at", USER)
    assert [row["id"] for row in left] == shown[2:]


async def test_finished_jobs_go_and_provisional_results_can_still_be_done_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 3)
        await drain(agent, tier="claude")
        await talk(client, 1, start=3)
        provisional = await claim(agent)
        await submit(agent, provisional, provisional=True)
        await drain(agent, tier="claude")
        before = await count(memory, "chat_context_queue")
        clock.forward(days=13)
        assert await prune(memory) == 0
        clock.forward(days=2)
        gone = await prune(memory)
        assert 0 < gone < before
        await agent.claim_work(w.ClaimWorkArgs(worker="better", best_tier="claude"))
        again = (await agent.claim_work(w.ClaimWorkArgs(worker="better", best_tier="claude"))).jobs
    assert provisional.job_id in [item.job_id for item in again]


async def test_old_model_calls_become_sums_and_the_months_bill_stays_right(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for month in range(4):
            await talk(client, 1, start=month)
            job = await claim(agent, kinds=("exchange",))
            calls = tuple(
                w.ModelCall(
                    model="m", tier="claude", input_tokens=10, output_tokens=2, seconds=1, price_usd=0.5, ok=n == 0
                )
                for n in range(2)
            )
            await submit(agent, job, tier="claude", calls=calls)
            clock.forward(days=31)
        clock.forward(days=-31)
        bill = (await agent.queue_status()).cost
        assert await prune(memory) > 0
        after = (await agent.queue_status()).cost
    async with memory.tables() as tables:
        sums = await tables.fetch("select calls, ok, input_tokens, price_usd::float8 as usd from model_call_months")
        left = await tables.fetchval("select count(*) from model_calls")
    assert after == bill
    assert [tuple(row) for row in sums] == [(2, 1, 20, 1.0)]
    assert left == 6


async def test_much_goes_in_small_parts_and_only_one_server_does_it(memory: Memory, clock: Clock) -> None:
    async with memory.tables() as tables:
        await tables.execute(
            """
            insert into context_receipts (owner_id, chat_id, id, thread_key, token_budget, tokens, truncated, sections,
              included, left_out, created_at)
            select 42, 42, n::text, 't', 1, 1, false, '[]', '{}', '[]', $1 from generate_series(1, $2) n
            """,
            clock() - timedelta(days=40),
            2 * BATCH + 1,
        )
        database = (await memory.storage.services()).deps.database
        async with database.lock(LOCK) as held:
            assert held
            assert await prune(memory) == 0
        assert await prune(memory) == 2 * BATCH + 1
        assert await tables.fetchval("select count(*) from context_receipts") == 0
