"""Runs one random sequence of actions on a memory and checks the invariants after every step."""

import contextlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from tellonce import contract as c
from tellonce import work as w
from tellonce.journal import silent
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.queue.work import ClaimLost
from tellonce_server.services.services import Services
from tellonce_server.store import threads
from tellonce_summarizer.agent.agent import done, submission
from tellonce_summarizer.models.fallback_chain import FallbackChain
from tellonce_text.tokens import estimate
from tests.memory_fixtures import USER, Clock, tables_with
from tests.server.fuse import Fuse, Unplugged

HERE = ChatScope(USER, USER)
SAYINGS = (
    "My dog is called {}.",
    "I live in {} now.",
    "I need to finish the {} report by June 12.",
    "I prefer {} tea over coffee. It rains.",
    "We decided to use {} for the pilot.",
    "What do you know about {}?",
    "Ride on. " * 60,
    "ok",
)
ANSWERS = ("Noted.", "{} sounds good. Anything else?", "I tried {} and it failed. " * 12)
NAMES = ("Quzibro", "Vortamel", "Plindar", "Yxaroth", "Glimfen", "Dravosk", "Wembuli", "Krothane")
PLACES: tuple[dict[str, Any], ...] = ({}, {}, {"message_thread_id": 5}, {"message_thread_id": 6})
UNTILED = """
    select t.thread_key from thread_state t
    where t.queued_to - coalesce(t.covered_to, 0) <> (
      select coalesce(sum((select count(*) from messages m where m.owner_id = q.owner_id and m.chat_id = q.chat_id
        and m.thread_key = q.thread_key and m.id between q.from_id and q.to_id)), 0)
      from chat_context_queue q
      where q.owner_id = t.owner_id and q.chat_id = t.chat_id and q.thread_key = t.thread_key
        and q.kind = 'chunk_summary' and q.state <> 'complete'
        and not exists (select from conversation_summaries s where s.owner_id = q.owner_id and s.chat_id = q.chat_id
          and s.thread_key = q.thread_key and s.kind = 'chunk' and s.from_id = q.from_id))"""
DOUBLED = """
    select m.id from messages m
    join conversation_summaries s on s.owner_id = m.owner_id and s.chat_id = m.chat_id and s.kind = 'chunk'
      and s.thread_key = m.thread_key and m.thread_no between s.from_no and s.to_no
    group by m.owner_id, m.chat_id, m.id having count(*) > 1"""
OUT_OF_ORDER = """
    select id from (select id, thread_no, row_number() over (partition by owner_id, chat_id, thread_key order by id) as n
      from messages) x where thread_no <> n"""
WRONG_TOKENS = """
    select t.thread_key from thread_state t
    where t.open_tokens <> (select coalesce(sum(m.tokens), 0) from messages m where m.owner_id = t.owner_id
      and m.chat_id = t.chat_id and m.thread_key = t.thread_key and m.thread_no > t.queued_to)"""
UNLEARNED = """
    select m.id from messages m
    where m.role = 'user' and not exists (select from chat_context_queue q where q.owner_id = m.owner_id
      and q.chat_id = m.chat_id and q.thread_key = m.thread_key and q.kind = 'exchange'
      and m.id between q.from_id and q.to_id)"""


@dataclass
class Life:
    """The memory under test, the messages sent to it, and the fuse that simulates crashes."""

    services: Services
    tables: "asyncpg.Connection[asyncpg.Record]"
    clock: Clock
    fuse: Fuse
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    held: list[w.WorkItem] = field(default_factory=list)

    async def whatever_happens(self, points: int | None, call: Callable[[], Awaitable[Any]]) -> Any:
        """Make a call. If `points` is given, the call crashes at this point of the fuse, and is then repeated, as a
        client would do."""
        if points is None:
            return await call()
        with self.fuse.set(points):
            try:
                return await call()
            except Unplugged:
                pass
        return await call()

    async def say(self, rng: random.Random, points: int | None) -> None:
        number = f"m{len(self.said)}"
        role = rng.choice(["user", "user", "assistant"])
        place: dict[str, Any] = dict(rng.choice(PLACES))
        if self.said and rng.random() < 0.15:
            place = {"reply_to_message_id": rng.choice(list(self.said))}
        content = self.text(rng, SAYINGS if role == "user" else ANSWERS)
        self.said[number] = {"role": role, "content": content, "message_id": number, "sent_at": self.clock(), **place}
        await self.whatever_happens(points, lambda: self.record(number))

    def text(self, rng: random.Random, forms: tuple[str, ...]) -> str:
        name = rng.choice([name for name in NAMES if name not in self.gone] or ["something"])
        form = rng.choice(forms)
        if "{}" in form and name in NAMES:
            self.told.add(name)
        return form.replace("{}", name)

    async def record(self, number: str) -> c.RecordedMessage:
        return await self.services.recorder.record(HERE, c.RecordMessageArgs.model_validate(self.said[number]))

    async def say_again(self, rng: random.Random) -> None:
        """Send a message again, like a client that got no answer. The message can be one that was forgotten in the
        meantime."""
        assert (await self.record(rng.choice(list(self.said)))).outcome == "duplicate"

    async def edit(self, rng: random.Random, points: int | None) -> None:
        number = rng.choice(list(self.said))
        role = self.said[number]["role"]
        self.said[number]["content"] = f"{self.text(rng, SAYINGS if role == 'user' else ANSWERS)} Edited."
        answer = await self.whatever_happens(points, lambda: self.record(number))
        assert answer.outcome in ("edited", "duplicate")

    async def remember(self, rng: random.Random, points: int | None) -> None:
        args = c.RememberArgs(content=self.text(rng, SAYINGS[:4]), scope=rng.choice(["chat", "global"]))
        await self.whatever_happens(points, lambda: self.services.rememberer.remember(HERE, args))

    async def update(self, rng: random.Random, points: int | None) -> None:
        profile = await self.services.profiles.profile(HERE, c.GetProfileArgs(), 1_000)
        known = [*profile.facts, *profile.preferences, *profile.goals, *profile.dates, *profile.uncertain]
        if known:
            action = rng.choice(["confirm", "reject", "complete", "edit", "pin", "unpin", "make_global"])
            content = self.text(rng, SAYINGS[:4]) if action == "edit" else None
            fields = {"memory_id": rng.choice(known).id, "action": action, "content": content}
            args = c.UpdateMemoryArgs.model_validate(fields)
            await self.whatever_happens(points, lambda: self.services.rememberer.update(HERE, args, None))

    async def forget(self, rng: random.Random, points: int | None) -> None:
        name = rng.choice(sorted(self.told))
        preview = await self.services.forgetter.preview(HERE, c.ForgetArgs(topic=name))
        if preview.confirm is not None:
            args = c.ForgetArgs(topic=name, confirm=preview.confirm)
            await self.forget_once(points, args)
        self.told.discard(name)
        self.gone.add(name)

    async def forget_once(self, points: int | None, args: c.ForgetArgs) -> None:
        """Erase the topic. If the erasure is interrupted or its answer is lost, repeat it."""
        done_ = await self.whatever_happens(points, lambda: self.services.forgetter.erase(HERE, args))
        assert done_.traces_left == 0, await tables_with(self.tables, args.topic or "")

    async def work(self, points: int | None) -> None:
        """Let a worker do the jobs; the worker may crash at any point. Then let another worker do the rest."""
        if points is not None:
            with self.fuse.set(points), contextlib.suppress(Unplugged):
                await self.work_off()
            self.clock.forward(hours=1)
            await self.services.work.tidy()
        await self.work_off()

    async def work_off(self) -> None:
        for item in (await self.services.work.claim(w.ClaimWorkArgs(worker="w", limit=4))).jobs:
            await self.submit(item)

    async def submit(self, item: w.WorkItem) -> None:
        outcome = await done(item.input, FallbackChain([]), silent, best_tier=item.best_tier)
        await self.services.work.submit(submission(item, outcome))

    async def hold(self) -> None:
        self.held += (await self.services.work.claim(w.ClaimWorkArgs(worker="slow", limit=2))).jobs

    async def submit_late(self) -> None:
        while self.held:
            try:
                await self.submit(self.held.pop())
            except ClaimLost as refusal:
                assert "no longer yours" in str(refusal)  # noqa: PT017

    async def compact(self) -> None:
        await self.services.summaries.chat_summary(HERE, c.SummarizeChatArgs(now=True))

    async def new_chat(self) -> None:
        await self.services.summaries.start_new_chat(HERE)

    async def check(self, rng: random.Random) -> None:
        """Check the invariants that hold in every state."""
        assert await threads.gaps(self.services.deps.database, USER) == []
        for name, broken in (("untiled", UNTILED), ("doubled", DOUBLED), ("order", OUT_OF_ORDER)):
            assert await self.tables.fetch(broken) == [], name
        for name, broken in (("tokens", WRONG_TOKENS), ("unlearned", UNLEARNED)):
            assert await self.tables.fetch(broken) == [], name
        count, ids = await self.tables.fetchrow("select count(*), count(distinct ext_id) from messages")
        assert count == ids == len(self.said)
        await self.check_context(rng)
        for name in self.gone:
            assert await tables_with(self.tables, name) == [], name

    async def check_context(self, rng: random.Random) -> None:
        budget = rng.choice([100, 150, 400, 1000, 4300])
        fields = {"token_budget": budget, "query": rng.choice([None, "What about the dog?"]), **rng.choice(PLACES)}
        context = await self.services.reader.context(HERE, c.GetContextArgs.model_validate(fields))
        assert context.coverage.gap == 0
        assert estimate(context.context or "") <= context.tokens <= budget
        replay = await self.services.explainer.explain(HERE, c.ExplainArgs(receipt_id=context.receipt_id))
        assert replay.text == context.context
