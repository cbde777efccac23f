"""After any random sequence of actions, every message of every thread is exactly one of verbatim, summarized or
pending."""

import random
from typing import Any

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient, MemoryRefused
from tellonce_server.store import queue, threads
from tellonce_server.store.queue import JobKey
from tests.depth import depth
from tests.memory_fixtures import USER, Clock, Memory
from tests.server.test_queue import answer

pytestmark = pytest.mark.anyio

STEPS = 120
CANARY = "zebrafinch"


class Life:
    """One seeded sequence: the possible actions, and the invariants that hold after each."""

    def __init__(self, memory: Memory, clock: Clock, client: MemoryClient, agent: MemoryClient, seed: int) -> None:
        self.memory = memory
        self.clock = clock
        self.client = client
        self.agent = agent
        self.rng = random.Random(seed)
        self.said: dict[str, dict[str, Any]] = {}
        self.held: list[w.WorkItem] = []

    async def step(self) -> None:
        self.clock.forward(minutes=self.rng.choice([1, 5, 600]))
        steps = [self.talk] * 8 + [self.talk_again, self.edit, self.work, self.work, self.claim_and_hold]
        steps += [self.submit_late, self.die_between_write_ahead_and_write, self.fail, self.compact, self.new_chat]
        await self.rng.choice(steps)()

    async def talk(self) -> None:
        number = f"m{len(self.said)}"
        place: dict[str, Any] = {}
        if self.said and self.rng.random() < 0.2:
            place["reply_to_message_id"] = self.rng.choice(list(self.said))
        elif self.rng.random() < 0.3:
            place["message_thread_id"] = self.rng.choice([5, 6])
        content = f"I own {len(self.said)} bikes. " + "Ride on. " * self.rng.choice([1, 1, 40])
        content += CANARY if self.rng.random() < 0.1 else ""
        role = self.rng.choice(["user", "assistant"])
        self.said[number] = {"role": role, "content": content, "message_id": number, "sent_at": self.clock(), **place}
        await self.record(number)

    async def record(self, number: str) -> c.RecordedMessage:
        return await self.client.record_message(c.RecordMessageArgs.model_validate(self.said[number]))

    async def talk_again(self) -> None:
        if self.said:
            assert (await self.record(self.rng.choice(list(self.said)))).outcome == "duplicate"

    async def edit(self) -> None:
        if self.said:
            number = self.rng.choice(list(self.said))
            self.said[number]["content"] = f"Edited at step {self.clock().isoformat()}"
            assert (await self.record(number)).outcome in ("edited", "duplicate")

    async def work(self) -> None:
        for item in (await self.agent.claim_work(w.ClaimWorkArgs(worker="w", limit=4))).jobs:
            await self.submit(item)

    async def submit(self, item: w.WorkItem) -> None:
        args = w.SubmitWorkArgs(job_id=item.job_id, fence=item.fence, result=answer(item), model="t", tier="keep")
        await self.agent.submit_work(args)

    async def claim_and_hold(self) -> None:
        self.held += (await self.agent.claim_work(w.ClaimWorkArgs(worker="slow", limit=2))).jobs

    async def submit_late(self) -> None:
        while self.held:
            try:
                await self.submit(self.held.pop())
            except MemoryRefused as refusal:
                assert "no longer yours" in str(refusal)  # noqa: PT017

    async def die_between_write_ahead_and_write(self) -> None:
        services = await self.memory.storage.services()
        for item in (await self.agent.claim_work(w.ClaimWorkArgs(worker="dying"))).jobs:
            key, result = JobKey.parse(item.job_id), answer(item).model_dump(mode="json")
            await queue.submit(services.deps.database, key, item.fence, result, "t", False)
        await self.check()
        await services.work.tidy()

    async def fail(self) -> None:
        for item in (await self.agent.claim_work(w.ClaimWorkArgs(worker="bad"))).jobs:
            await self.agent.fail_work(w.FailWorkArgs(job_id=item.job_id, fence=item.fence, reason="no"))

    async def compact(self) -> None:
        await self.client.summarize_chat(c.SummarizeChatArgs(now=True))

    async def new_chat(self) -> None:
        await self.client.start_new_chat(c.StartNewChatArgs())

    async def forget(self) -> None:
        preview = await self.client.forget(c.ForgetArgs(topic=CANARY))
        if preview.confirm is not None:
            erased = await self.client.forget(c.ForgetArgs(topic=CANARY, confirm=preview.confirm))
            assert erased.traces_left == 0
        for message in self.said.values():
            message["content"] = message["content"].replace(CANARY, "")

    async def check(self) -> None:
        database = (await self.memory.storage.services()).deps.database
        assert await threads.gaps(database, USER) == []
        where = self.rng.choice([{}, {"message_thread_id": 5}])
        budget = self.rng.choice([100, 400, 4300])
        context = await self.client.get_context(c.GetContextArgs.model_validate({**where, "token_budget": budget}))
        assert context.coverage.gap == 0
        assert context.tokens <= budget


@pytest.mark.parametrize("seed", range(depth(2, 5)))
async def test_a_random_life_leaves_no_gap_and_doubles_nothing(memory: Memory, clock: Clock, seed: int) -> None:
    async with memory.client() as client, memory.agent() as agent:
        life = Life(memory, clock, client, agent, seed)
        for _ in range(STEPS):
            await life.step()
            await life.check()
        await life.forget()
        await life.check()
        clock.forward(hours=1)
        await life.work()
        async with memory.tables() as tables:
            count, ids = await tables.fetchrow("select count(*), count(distinct ext_id) from messages") or (0, 0)
            doubled = await tables.fetchval(
                "select count(*) from messages m where (select count(*) from conversation_summaries s where s.kind = 'chunk' "
                "and s.thread_key = m.thread_key and m.thread_no between s.from_no and s.to_no) > 1"
            )
            text = await tables.fetchval(
                "select string_agg(content, ' ') || coalesce((select string_agg(text, ' ') from conversation_summaries), '') from messages"
            )
    assert count == ids == len(life.said)
    assert doubled == 0
    assert CANARY not in text
