"""The write-ahead queue, tested through MCP as the summarizer agent uses it."""

import json
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient, MemoryRefused
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.domain.queue.summary_jobs import MOST_MEMORIES
from tellonce_sql import query
from tests.hand_worker import claim, drain, exchange, item, submit, talk
from tests.memory_fixtures import Clock, Memory, forget, opened, session

pytestmark = pytest.mark.anyio


async def test_a_long_talk_is_summarised_without_a_gap(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 25)
        done = await drain(agent)
        summary = await client.summarize_chat(c.SummarizeChatArgs())
        context = await client.get_context(c.GetContextArgs())
    kinds = [item.kind for item in done]
    assert kinds.count("chunk_summary") == 1
    assert {"exchange", "thread_summary"} <= set(kinds)
    assert sum(period.count for period in summary.periods) == 20
    assert summary.coverage == c.Coverage(verbatim=30, summarised=20, pending=0, gap=0)
    assert context.coverage == summary.coverage
    assert "[Summary | Feb 16]: Summary by" in (context.context or "")


async def test_a_result_whose_lease_passed_to_another_is_refused(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        first = await claim(agent)
        clock.forward(seconds=61)
        second = await claim(agent, worker="two")
        assert (second.job_id, second.fence) == (first.job_id, first.fence + 1)
        with pytest.raises(MemoryRefused, match="no longer yours"):
            await submit(agent, first)


async def test_a_job_whose_lease_was_extended_is_not_claimed_by_another(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        job = await claim(agent)
        clock.forward(seconds=40)
        kept = await agent.extend_work(w.ExtendWorkArgs(job_id=job.job_id, fence=job.fence))
        assert (kept.lease_until - clock()).total_seconds() == job.lease_seconds
        clock.forward(seconds=40)
        assert not (await agent.claim_work(w.ClaimWorkArgs(worker="two"))).jobs
        clock.forward(seconds=21)
        assert (await agent.claim_work(w.ClaimWorkArgs(worker="two"))).jobs


async def test_a_job_fails_after_five_counted_failures_and_an_outage_counts_none(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        for outage in (True, False, False, False, False, False):
            job = await claim(agent)
            failed = await agent.fail_work(
                w.FailWorkArgs(job_id=job.job_id, fence=job.fence, reason="no", provider_down=outage)
            )
            clock.forward(hours=1)
        status = await agent.queue_status()
    assert (failed.state, failed.attempts) == ("dead", 5)
    assert [letter.error for letter in status.dead_letters] == ["no"]


async def test_a_profile_is_written_from_what_the_user_confirmed_and_what_matters_with_its_days(
    memory: Memory, clock: Clock
) -> None:
    said = ["Name is Priya", *(f"Saw bird number {n}" for n in range(MOST_MEMORIES))]
    async with memory.client() as client, memory.agent() as agent:
        for text in said:
            await client.remember(c.RememberArgs(content=text, importance=0.9 if "Priya" in text else 0.3))
            clock.forward(seconds=1)
        await talk(client, 5)
        work = [item.input for item in await drain(agent) if isinstance(item.input, w.ProfileInput)][-1]
    assert (len(work.memories), work.memories[0].text, work.memories[1].text) == (
        MOST_MEMORIES,
        "Name is Priya",
        said[-1],
    )
    assert work.memories[0].since < work.memories[1].since


async def test_a_memory_that_changes_while_a_profile_is_written_makes_the_next_one(
    memory: Memory, clock: Clock
) -> None:
    def profiles(done: list[w.WorkItem]) -> list[w.ProfileInput]:
        return [item.input for item in done if isinstance(item.input, w.ProfileInput)]

    async with memory.client() as client, memory.agent() as agent:
        await client.remember(c.RememberArgs(content="Prefers tea"))
        clock.forward(seconds=1)
        await talk(client, 1)
        (exchange,) = (await agent.claim_work(w.ClaimWorkArgs(worker="one"))).jobs
        await submit(agent, exchange)
        (profile,) = (await agent.claim_work(w.ClaimWorkArgs(worker="one"))).jobs
        clock.forward(seconds=1)
        await client.remember(c.RememberArgs(content="Name is Priya"))
        clock.forward(seconds=1)
        await submit(agent, profile)
        for start in range(1, 7):
            clock.forward(seconds=1)
            await talk(client, 1, start)
            later = profiles(await drain(agent))
            if later:
                break
    assert [known.text for known in profiles([profile])[0].memories] == ["Prefers tea"]
    assert (start, [known.text for known in later[0].memories]) == (5, ["Name is Priya", "Prefers tea"])


async def test_a_profile_with_an_ended_statement_is_rewritten_after_one_exchange(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        told: list[list[str]] = []
        for number, text in enumerate(("I live in Berlin", "Prefers tea", "I moved to Lisbon")):
            clock.forward(seconds=1)
            await client.remember(c.RememberArgs(content=text, replaces=(1,) if number == 2 else ()))
            clock.forward(seconds=1)
            await talk(client, 1, number)
            inputs = [item.input for item in await drain(agent)]
            told += [[m.text for m in work.memories] for work in inputs if isinstance(work, w.ProfileInput)]
    assert told == [["I live in Berlin"], ["I moved to Lisbon", "Prefers tea"]]


async def test_a_lower_tiers_result_is_done_again_once_by_the_better_tier(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 25)
        while claimed := (await agent.claim_work(w.ClaimWorkArgs(worker="one"))).jobs:
            await submit(agent, claimed[0], provisional=True)
        again: list[w.WorkItem] = []
        for _ in range(40):
            found = (await agent.claim_work(w.ClaimWorkArgs(worker="two", best_tier="claude"))).jobs
            for job in found:
                await submit(agent, job, tier="claude")
                again.append(job)
        summary = await client.summarize_chat(c.SummarizeChatArgs())
    assert {job.kind for job in again} >= {"exchange", "chunk_summary"}
    assert len({job.job_id for job in again if job.kind == "chunk_summary"}) == 1
    assert not any(period.provisional for period in summary.periods)
    assert summary.canonical.general_summary == "up to 50"


async def test_another_persons_words_make_no_facts_about_the_user_and_in_a_group_are_about_them(
    memory: Memory,
) -> None:
    async with memory.relay() as client, memory.agent() as agent:
        for chat in (42, -100):
            said = c.RecordMessageArgs(
                role="user", content="I live in Oslo", speaker="Bob", chat_id=chat, message_id="b"
            )
            await client.record_message(said)
            await client.record_message(
                c.RecordMessageArgs(role="assistant", content="Nice", chat_id=chat, exchange_of="b")
            )
        for job in (await agent.claim_work(w.ClaimWorkArgs(worker="one", limit=5))).jobs:
            await submit(agent, job, exchange(item(job.input, "Lives in Oslo")))
        mine = await client.get_profile(c.GetProfileArgs(chat_id=42))
        ours = await client.get_profile(c.GetProfileArgs(chat_id=-100))
    assert mine.facts == ()
    assert [(m.content, m.about) for m in ours.facts] == [("Lives in Oslo", "Bob")]


async def test_exchanges_that_get_ahead_of_the_worker_become_one_job(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 3)
        jobs = (await agent.claim_work(w.ClaimWorkArgs(worker="one", limit=5))).jobs
    assert [job.kind for job in jobs] == ["exchange"]
    assert isinstance(jobs[0].input, w.ExchangeInput)
    assert [m.id for m in jobs[0].input.messages] == [1, 2, 3, 4, 5, 6]


async def test_a_long_backlog_is_handed_out_in_small_parts_that_miss_nothing(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 19)
        seen: list[int] = []
        for item in await drain(agent):
            if isinstance(item.input, w.ExchangeInput):
                assert len(item.input.messages) <= 12
                seen += [m.id for m in item.input.messages]
    assert seen == list(range(1, 39))


async def test_the_monthly_cap_leaves_only_the_tier_that_costs_nothing(settings: ServerSettings, clock: Clock) -> None:
    capped = settings.model_copy(update={"monthly_cap_usd": 0.01})
    async with opened(Storage(capped, clock)) as memory, memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        first = await claim(agent)
        call = w.ModelCall(model="claude-haiku-4-5", tier="claude", input_tokens=9000, price_usd=0.02)
        await submit(agent, first, tier="claude", calls=(call,))
        await talk(client, 9, start=1)
        after = await claim(agent)
        status = await agent.queue_status()
    assert (first.best_tier, after.best_tier) == ("claude", "ollama")
    assert (status.cost.calls, status.cost.price_usd, status.cost.cap_usd) == (1, 0.02, 0.01)


async def test_with_the_budget_spent_only_who_has_no_better_tier_than_a_free_one_does_work_again(
    settings: ServerSettings, clock: Clock
) -> None:
    spent = settings.model_copy(update={"monthly_cap_usd": 0.0})
    again: dict[w.Tier, list[w.Tier]] = {}
    async with opened(Storage(spent, clock)) as memory, memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        await submit(agent, await claim(agent), provisional=True)
        for best in ("claude", "claude-cli", "ollama"):
            claims = [await agent.claim_work(w.ClaimWorkArgs(worker="one", best_tier=best)) for _ in range(2)]
            again[best] = [job.best_tier for claimed in claims for job in claimed.jobs]
    assert again == {"claude": [], "claude-cli": [], "ollama": ["ollama"]}


async def test_the_outcomes_of_an_exchange_and_of_a_summary_are_events(
    settings: ServerSettings, clock: Clock, tmp_path: Path
) -> None:
    told = settings.model_copy(update={"observability": True, "log_dir": tmp_path / "logs"})
    async with opened(Storage(told, clock)) as memory, memory.client() as client, memory.agent() as agent:
        await talk(client, 21)
        await drain(agent)
    lines = [json.loads(line) for file in (tmp_path / "logs").iterdir() for line in file.read_text().splitlines()]
    events = {line["event"] for line in lines}
    assert events >= {"message_received", "ltm_enqueued", "ltm_store_result", "summary_written"}
    assert all(line["traceId"] for line in lines if line["event"] == "summary_written")


async def test_a_canonical_summary_past_its_cap_asks_for_a_new_chat_until_there_is_one(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        full = exchange(general_summary="They decided many things about the garden. " * 300)
        await submit(agent, await claim(agent), full)
        before = await client.get_context(c.GetContextArgs())
        begun = await client.start_new_chat(c.StartNewChatArgs())
        after = await client.get_context(c.GetContextArgs())
    assert "/new" in before.notices[0]
    assert before.tokens <= before.token_budget
    assert (begun.epoch, begun.archived) == (1, True)
    assert not any("/new" in notice for notice in after.notices)
    assert "garden" not in (after.context or "")


async def test_a_summary_in_progress_when_a_new_chat_begins_is_archived_with_the_old_chat(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        job = await claim(agent)
        await client.start_new_chat(c.StartNewChatArgs())
        done = await submit(agent, job, exchange(general_summary="About the garden."))
        chat = await client.summarize_chat(c.SummarizeChatArgs())
        await talk(client, 1, start=1)
        later = await claim(agent, kinds=("exchange",))
    assert done.state == "complete"
    assert chat.canonical.general_summary == ""
    assert isinstance(later.input, w.ExchangeInput)
    assert later.input.canonical == w.Canonical()


async def test_a_result_handed_in_twice_because_the_answer_was_lost_is_taken_once(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        job = await claim(agent)
        call = w.ModelCall(model="m", tier="claude", input_tokens=10, price_usd=0.01)
        submitted = [await submit(agent, job, tier="claude", calls=(call,)) for _ in range(2)]
        status = await agent.queue_status()
    assert [s.state for s in submitted] == ["complete", "complete"]
    assert status.cost.calls == 1


async def test_a_job_whose_workers_keep_dying_is_given_up_and_can_be_replayed(memory: Memory, clock: Clock) -> None:
    services = await memory.storage.services()
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        deaths = 0
        while (await agent.claim_work(w.ClaimWorkArgs(worker=f"mortal {deaths}"))).jobs:
            deaths += 1
            clock.forward(seconds=61)
        await services.work.tidy()
        letter = (await agent.queue_status()).dead_letters[0]
        await services.work.replay()
        again = (await agent.claim_work(w.ClaimWorkArgs(worker="survivor"))).jobs
    assert (deaths, letter.error) == (21, "its worker ended 20 times without a result")
    assert len(again) == 1


async def test_a_result_that_cannot_be_stored_is_refused_and_holds_nobody_up(
    memory: Memory, dsn: str, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        async with session(dsn) as connection:
            await connection.execute("alter table chat_metadata add constraint never check (tokens < 0) not valid")
            refused = await submit(agent, await claim(agent))
            await connection.execute("alter table chat_metadata drop constraint never")
        clock.forward(hours=1)
        await drain(agent)
        summary = await client.summarize_chat(c.SummarizeChatArgs())
    assert (refused.state, refused.stored) == ("pending_summarization", {"refused": 1})
    assert summary.canonical.general_summary == "up to 2"


async def test_work_being_claimed_while_its_text_is_forgotten_is_refused(memory: Memory, dsn: str) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await client.remember(c.RememberArgs(content="My locker opens with zq77"))
        await client.record_message(
            c.RecordMessageArgs(role="user", content="My locker opens with zq77", message_id="u")
        )
        await client.record_message(c.RecordMessageArgs(role="assistant", content="Noted", exchange_of="u"))
        before = await claim(agent)
        await forget(client, topic="zq77")
        with pytest.raises(MemoryRefused, match="no longer yours"):
            await submit(agent, before)
        after = await drain(agent)
    assert all("zq77" not in item.model_dump_json() for item in after)


async def edit(client: MemoryClient, message_id: str, text: str) -> None:
    await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=message_id))


async def taken(agent: MemoryClient, job: w.WorkItem) -> bool:
    """Whether the job's result is accepted."""
    try:
        await submit(agent, job)
    except MemoryRefused:
        return False
    return True


async def test_an_edit_voids_the_work_that_read_the_message_and_leaves_other_chats_alone(memory: Memory) -> None:
    async with memory.client() as client, memory.relay() as relay, memory.agent() as agent:
        await talk(client, 1)
        spoken = c.RecordMessageArgs(role="user", content="I own a boat", chat_id=-200, message_id="b")
        await relay.record_message(spoken)
        answered = c.RecordMessageArgs(role="assistant", content="Nice", chat_id=-200, exchange_of="b")
        await relay.record_message(answered)
        jobs = (await agent.claim_work(w.ClaimWorkArgs(worker="test", limit=5, kinds=("exchange",)))).jobs
        private = next(job for job in jobs if "bikes" in str(job.input))
        personal = next(job for job in jobs if "boat" in str(job.input))
        await edit(client, "u0", "I own 9 bikes")
        assert not await taken(agent, private)
        assert await taken(agent, personal)
        again = (await agent.claim_work(w.ClaimWorkArgs(worker="test", limit=5, kinds=("exchange",)))).jobs
    assert "I own 9 bikes" in str([job.input for job in again])


async def test_an_edit_of_a_later_message_lets_work_on_earlier_ones_go_on(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await talk(client, 1)
        earlier = await claim(agent, kinds=("exchange",))
        await talk(client, 1, start=1)
        await edit(client, "u1", "I own 9 bikes")
        assert await taken(agent, earlier)


async def test_a_long_backlog_of_one_chat_does_not_slow_a_claim(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent, memory.tables() as tables:
        await talk(client, 1)
        assert (await agent.claim_work(w.ClaimWorkArgs(worker="test", kinds=("exchange",)))).jobs
        await tables.execute(
            """
            insert into chat_context_queue (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id,
              not_before, created_at)
            select 42, 42, 1000 + n, 'exchange', 't', n::text, 1, 1, $1, $1 from generate_series(1, 5000) n
            """,
            clock(),
        )
        await tables.execute("analyze chat_context_queue")
        plan = await tables.fetchval(
            f"explain (analyze, buffers, format json) {query('queue.claim')}",
            *("other", clock(), clock(), None, 1, clock(), 3, 1),
        )
    # A claim that reads all rows again for each job would read three pages per job.
    pages = json.loads(plan)[0]["Plan"]["Shared Hit Blocks"]
    assert pages < 5000
