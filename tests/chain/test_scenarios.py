"""Long scenarios with the memory, with and without a model. The tests check prompts and rows, not replies. The same
scenarios with the bot are in `test_relay_scenarios.py`."""

import itertools
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_llm.breaker import Guarded
from tellonce_llm.claude import Claude
from tellonce_server.app.storage import Storage
from tellonce_server.store import threads
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.local_model import with_local_model
from tests.memory_fixtures import USER, Clock, Memory, forget, opened
from tests.offline_worker import work_off
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.summarizer_model import competent

pytestmark = pytest.mark.anyio


@dataclass
class Life:
    """A user, an assistant and a summarizer. The assistant acknowledges every message of the user, and the summarizer
    does the jobs."""

    memory: Memory
    clock: Clock
    client: MemoryClient
    agent: MemoryClient
    numbers: "itertools.count[int]"
    chain: FallbackChain

    @property
    def is_read(self) -> bool:
        """Whether a model reads the messages. Without a model, the user's own sentences are kept."""
        return self.chain.best_tier() == "claude"

    async def say(self, text: str, answer: str = "All right.", **place: object) -> str:
        number = str(next(self.numbers))
        await self.client.record_message(
            c.RecordMessageArgs.model_validate(
                {"role": "user", "content": text, "message_id": number, "sent_at": self.clock(), **place}
            )
        )
        self.clock.forward(minutes=1)
        await self.client.record_message(
            c.RecordMessageArgs.model_validate(
                {
                    "role": "assistant",
                    "content": answer,
                    "message_id": f"a{number}",
                    "sent_at": self.clock(),
                    "exchange_of": number,
                    **place,
                }
            )
        )
        self.clock.forward(minutes=1)
        await work_off(self.agent, self.chain)
        return number

    async def prompt(self, query: str, **more: object) -> str:
        context = await self.client.get_context(c.GetContextArgs.model_validate({"query": query, **more}))
        assert context.tokens <= context.token_budget
        assert context.coverage.gap == 0
        return context.context or ""

    async def profile(self) -> c.Profile:
        return await self.client.get_profile(c.GetProfileArgs())

    async def everywhere(self) -> str:
        """Every text in the database."""
        async with self.memory.tables() as tables:
            columns = await tables.fetch(
                "select table_name, column_name from information_schema.columns where table_schema = 'public' "
                "and data_type in ('text', 'jsonb', 'tsvector', 'ARRAY')"
            )
            texts = [
                str(await tables.fetchval(f'select string_agg("{column}"::text, chr(10)) from "{table}"'))
                for table, column in columns
            ]
        return "\n".join(texts)


@pytest.fixture(params=[pytest.param("offline", marks=pytest.mark.model), "model"])
async def life(request: pytest.FixtureRequest, settings: ServerSettings, clock: Clock) -> AsyncIterator[Life]:
    """One scenario without any language model, and one with a model that answers like a competent model."""
    is_read = request.param == "model"
    made = opened(Storage(settings, clock)) if is_read else with_local_model(settings, clock)
    async with (
        made as memory,
        memory.client() as client,
        memory.agent() as agent,
        AnthropicStub(competent) as stub,
        aclosing(Claude("key", base_url=stub.url)) as claude,
    ):
        steps = [Step(Guarded(claude), 15.0)] if is_read else []
        yield Life(memory, clock, client, agent, itertools.count(1), FallbackChain(steps))
        assert is_read or not stub.asked


WITHOUT_MODEL = pytest.mark.parametrize("life", [pytest.param("offline", marks=pytest.mark.model)], indirect=True)
"""The mark of a scenario that ends differently if there is a model. `test_relay_scenarios.py` tests how it ends
then."""


def contents(profile: c.Profile) -> list[str]:
    """The notes and statements about the user."""
    return [m.content for m in (*profile.facts, *profile.preferences, *profile.goals, *profile.dates)]


async def test_1_what_was_said_just_now_is_in_the_prompt(life: Life) -> None:
    await life.say("My name is Priya and I'm working on a SingPass integration project")
    assert "SingPass integration project" in await life.prompt("What project did I mention just now?")


async def test_3_a_fact_is_learned_and_in_the_next_prompt(life: Life) -> None:
    await life.say("I work as a Solution Architect at GovTech, mainly doing AWS infrastructure")
    (fact,) = (await life.profile()).facts
    assert "Solution Architect at GovTech" in fact.content
    assert (fact.origin, fact.note) == ("extracted", not life.is_read)
    life.clock.forward(days=2)
    prompt = await life.prompt("Where do I work?", include=["memories"])
    assert "GovTech" in prompt


@pytest.mark.parametrize("length", [3_000, 7_000])
async def test_3_a_fact_at_the_end_of_a_long_message_is_learned(life: Life, length: int) -> None:
    fact = "I work as a Solution Architect at GovTech, mainly doing AWS infrastructure"
    await life.say("and so on, " * (length // 11) + "right. " + fact)
    assert any("GovTech" in text for text in contents(await life.profile()))


async def test_4_a_preference_is_learned_and_carried(life: Life) -> None:
    await life.say("Please always give me concise responses with bullet points, I hate long paragraphs")
    prompt = await life.prompt("Explain microservices to me", include=["memories"])
    assert "PREFERENCES" in prompt
    assert "bullet points" in prompt


@WITHOUT_MODEL
async def test_5_a_goal_is_in_the_prompt_of_another_thread(life: Life) -> None:
    await life.say("I need to launch the SingPass API integration by Q2 2026")
    life.clock.forward(days=1)
    assert "by Q2 2026" in await life.prompt("What about the SingPass integration?", message_thread_id=7)


async def test_6_a_date_gets_its_year_from_the_message(life: Life) -> None:
    await life.say("Don't forget my team offsite is on March 15")
    assert "March 15" in await life.prompt("When is my team offsite?", include=["memories"])
    if not life.is_read:
        assert ["March 15" in text for text in contents(await life.profile())] == [True]
        return
    dates = (await life.profile()).dates
    assert "March 15" in dates[0].content
    assert dates[0].deadline is not None
    assert dates[0].deadline.isoformat().startswith(("2026-03-14T16:00", "2026-03-15"))


async def test_6b_days_and_ages_are_the_users_own(life: Life) -> None:
    await life.say("Yesterday's talk")
    life.clock.at = life.clock().replace(hour=23, minute=2)
    await life.client.record_message(
        c.RecordMessageArgs(
            role="assistant",
            content="Weather and three meetings. " * 30,
            routine="morning-summary",
            summary="Weather; meetings.",
            message_id="r1",
            sent_at=life.clock(),
        )
    )
    life.clock.at = life.clock().replace(hour=7, minute=0)
    life.clock.forward(days=1)
    prompt = await life.prompt("What is up?")
    assert "─── Monday, 16 February 2026 ───" in prompt
    assert "[morning-summary | 07:02 AM, 7h ago]: Weather; meetings." in prompt
    assert "UTC" not in prompt


async def test_7e_two_routines_and_a_long_talk_fit_together(life: Life) -> None:
    for name in ("morning-summary", "smart-checkin"):
        told = c.RecordMessageArgs(
            role="assistant", content="Much text. " * 200, routine=name, summary=f"Short {name}.", message_id=name
        )
        await life.client.record_message(told)
    for number in range(8):
        await life.say(f"Question {number} about the trip", f"Answer {number}.")
    prompt = await life.prompt("And now?")
    assert all(f"Question {number} about" in prompt and f"Answer {number}." in prompt for number in range(8))
    assert "Short morning-summary." in prompt
    assert "Short smart-checkin." in prompt


async def test_8_what_is_told_to_be_remembered_is_there_at_once(life: Life) -> None:
    said = "I prefer Singapore Standard Time (UTC+8) for all scheduling"
    stored = await life.client.remember(c.RememberArgs(content=said))
    assert (stored.outcome, stored.memory.content) == ("stored", said)
    # The local model chooses the kind of a statement without a kind. Without the local model, such a statement is a
    # fact.
    assert stored.memory.kind == ("fact" if life.is_read else "preference")
    profile = await life.profile()
    assert [m.content for m in (*profile.facts, *profile.preferences)] == [said]
    assert said in await life.prompt("When shall we meet?")


async def test_2_and_10_a_rolling_window_leaves_no_gap_and_the_summary_shows_periods_session_and_routines(
    life: Life,
) -> None:
    for number in range(25):
        await life.say(f"Point {number} of the plan", f"Got number {number}.")
    assert "Point 3" in await life.prompt("What was point number 3?")
    await life.client.record_message(
        c.RecordMessageArgs(
            role="assistant", content="Long.", routine="morning-summary", summary="Brief.", message_id="r1"
        )
    )
    summary = await life.client.summarize_chat(c.SummarizeChatArgs())
    assert summary.coverage.gap == 0
    assert summary.coverage.verbatim + summary.coverage.summarised + summary.coverage.pending == 51
    assert sum(p.count for p in summary.periods) == summary.coverage.summarised > 0
    assert all(p.period == "Feb 16" and p.text for p in summary.periods)
    assert summary.current_session.count == summary.coverage.verbatim
    assert [(r.name, r.summary) for r in summary.routines_today] == [("morning-summary", "Brief.")]


async def test_9_forget_leaves_no_trace_and_being_told_again_lifts_it(life: Life) -> None:
    await life.say("I need to launch the SingPass API integration by Q2 2026. I also like tea")
    await life.say("The SingPass test account is ready", "SingPass noted.")
    for number in range(22):
        await life.say(f"Small talk number {number}")
    assert "ingpass" in (await life.everywhere()).lower()
    done = await forget(life.client, topic="SingPass")
    await work_off(life.agent, life.chain)
    assert done.traces_left == 0
    assert "ingpass" not in (await life.everywhere()).lower()
    assert "like tea" in await life.prompt("What do I like?")
    pool = (await life.memory.storage.services()).deps.database
    assert await threads.gaps(pool, USER) == []
    life.clock.forward(days=1)
    await life.say("I want to restart the SingPass project by Q3 2026")
    assert "SingPass project" in await life.prompt("What do I want to restart?")
    assert any("SingPass" in text for text in contents(await life.profile())) == life.is_read


@WITHOUT_MODEL
async def test_17_an_uncertain_statement_is_kept_in_the_users_words(life: Life) -> None:
    await life.say("I might move to Berlin next year, not sure")
    (note,) = (await life.profile()).facts
    assert (note.content, note.note) == ("I might move to Berlin next year, not sure", True)


@WITHOUT_MODEL
async def test_18_a_move_ends_nothing_and_the_new_home_comes_first(life: Life) -> None:
    await life.say("I live in Singapore")
    life.clock.forward(days=10)
    await life.say("I moved to Lisbon last week")
    facts = (await life.profile()).facts
    assert "Lisbon" in facts[0].content
    assert {fact.status for fact in facts} == {"active"}


async def test_19_an_edit_changes_what_was_learned_from_it(life: Life) -> None:
    number = await life.say("My team offsite is on March 15")
    await life.client.record_message(
        c.RecordMessageArgs(role="user", content="My team offsite is on March 22", message_id=number)
    )
    await work_off(life.agent, life.chain)
    profile = await life.profile()
    assert any("March 22" in text for text in contents(profile))
    assert not any("March 15" in text for text in contents(profile))
    assert "March 15" not in profile.narrative
    summary = await life.client.summarize_chat(c.SummarizeChatArgs())
    assert "March 15" not in summary.canonical.model_dump_json()
    why = await life.client.explain(c.ExplainArgs(message_id=number))
    assert [v.text for v in why.versions] == ["My team offsite is on March 15"]


async def test_13_and_20_a_full_chat_keeps_numbers_has_cost_one_call_an_exchange_and_a_new_one_keeps_the_memories(
    life: Life,
) -> None:
    await life.say("My name is Priya")
    await life.say("My AWS account number is 123456789012 for the dev environment")
    for number in range(40):
        await life.say(
            f"Decision {number}: we will use vendor number {number} for region {number} because the contract ends in {2027 + number}"
        )
    async with life.memory.tables() as tables:
        counted = await tables.fetchrow("select * from chats where (owner_id, chat_id) = ($1, $1)", USER)
    chat = await life.client.summarize_chat(c.SummarizeChatArgs())
    context = await life.client.get_context(c.GetContextArgs())
    assert counted is not None
    assert counted["exchanges"] == 42
    assert all(counted[purpose] <= 42 for purpose in ("learning_calls", "summary_calls", "second_calls"))
    assert (counted["learning_calls"] == 42) == life.is_read
    assert (chat.canonical.tokens > 2000) == any("summary is full" in notice for notice in context.notices)
    assert "123456789012" in await life.prompt("What's my AWS dev account number?")
    if life.is_read:
        assert any("123456789012" in m.content for m in (await life.profile()).pins)
    else:
        assert any("123456789012" in text for text in contents(await life.profile()))
    begun = await life.client.start_new_chat(c.StartNewChatArgs())
    fresh = await life.client.get_context(c.GetContextArgs())
    assert begun.archived
    assert not any("summary is full" in notice for notice in fresh.notices)
    assert any("Priya" in text for text in contents(await life.profile()))
