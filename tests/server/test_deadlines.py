"""Due times, tested through MCP. A due time is from the caller or from the words of the statement, never from a worker
alone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce import reminders as r
from tellonce.client import MemoryClient
from tellonce_server.domain.memory import expiry
from tellonce_server.services.page.reads import NoArgs
from tellonce_server.store import memories
from tests.hand_worker import claim, exchange, item, profile, submit
from tests.memory_fixtures import USER, Clock, Memory

pytestmark = pytest.mark.anyio

SINGAPORE = ZoneInfo("Asia/Singapore")
MARCH = datetime(2026, 3, 15, 4, tzinfo=UTC)
APRIL = datetime(2026, 4, 15, 4, tzinfo=UTC)


def report(deadline: datetime | None) -> c.RememberArgs:
    return c.RememberArgs(content="Finish the report", kind="goal", deadline=deadline)


async def learned(client: MemoryClient, agent: MemoryClient, said: str, due: datetime) -> c.Memory:
    """The goal that is learned when a worker reads a message."""
    await client.record_message(c.RecordMessageArgs(role="user", content=said, message_id="u"))
    await client.record_message(c.RecordMessageArgs(role="assistant", content="Good luck", exchange_of="u"))
    job = await claim(agent)
    goal = item(job.input, "Finish the thesis", kind="goal", deadline=due)
    await submit(agent, job, exchange(goal), "claude", model="haiku")
    known = await profile(client)
    return (*known.goals, *known.uncertain)[0]


async def test_an_appointment_that_has_passed_is_history_and_a_day_of_every_year_stays(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        for content in ("Dentist on 2026-02-20 at 3pm", "My birthday is on February 20"):
            await client.remember(c.RememberArgs(content=content, kind="date"))
        clock.forward(days=6)
        await expiry.tidy((await memory.storage.services()).deps)
        known = await client.get_profile(c.GetProfileArgs())
        over = await client.get_profile(c.GetProfileArgs(status="completed"))
    assert ["birthday" in date.content for date in known.dates] == [True]
    assert ["Dentist" in date.content for date in over.dates] == [True]


async def test_a_goal_remembered_again_for_another_day_supersedes_the_old_one(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.remember(report(MARCH))
        clock.forward(minutes=1)
        moved = await client.remember(report(APRIL))
        goals = (await client.get_profile(c.GetProfileArgs())).goals
    assert moved.outcome == "superseded"
    assert [goal.deadline for goal in goals] == [APRIL]


async def test_a_goal_remembered_again_with_its_day_gains_it_and_is_there_once(memory: Memory) -> None:
    async with memory.client() as client:
        await client.remember(report(None))
        again = await client.remember(report(MARCH))
        without = await client.remember(report(None))
    assert again.memory is not None
    assert without.memory is not None
    assert (again.outcome, again.memory.deadline) == ("duplicate", MARCH)
    assert (without.outcome, without.memory.deadline) == ("duplicate", MARCH)


async def test_another_wording_keeps_the_day_that_was_given_beside_the_words(memory: Memory) -> None:
    async with memory.client() as client:
        goal = (await client.remember(report(MARCH))).memory
        assert goal is not None
        reworded = await client.update_memory(
            c.UpdateMemoryArgs(memory_id=goal.id, action="edit", content="Finish the quarterly report")
        )
        moved = await client.update_memory(
            c.UpdateMemoryArgs(memory_id=goal.id, action="edit", content="Finish the quarterly report by April 15")
        )
    assert reworded.deadline == MARCH
    assert moved.deadline == datetime(2026, 4, 14, 16, tzinfo=UTC)


async def test_an_edit_that_changes_nothing_leaves_no_version(memory: Memory) -> None:
    async with memory.client() as client:
        goal = (await client.remember(report(None))).memory
        assert goal is not None
        await client.update_memory(c.UpdateMemoryArgs(memory_id=goal.id, action="edit", content=goal.content))
        why = await client.explain(c.ExplainArgs(memory_id=goal.id))
    assert why.versions == ()


@pytest.mark.parametrize("said", ["I have to finish the thesis", "I have to finish the thesis by April 15"])
async def test_a_day_the_user_did_not_name_makes_the_goal_uncertain_and_says_so(memory: Memory, said: str) -> None:
    async with memory.client() as client, memory.agent() as agent:
        goal = await learned(client, agent, said, due=MARCH)
    assert (goal.status, goal.reason) == ("uncertain", "2026-03-15 does not follow from the quote.")


async def test_the_day_the_user_named_is_kept(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        goal = await learned(client, agent, "I have to finish the thesis by April 15", due=APRIL)
    assert (goal.status, goal.deadline) == ("active", APRIL)


async def test_why_names_the_model_that_worded_a_memory_and_none_for_the_users_own_words(memory: Memory) -> None:
    async with memory.client() as client, memory.agent() as agent:
        goal = await learned(client, agent, "I have to finish the thesis by April 15", due=APRIL)
        said = (await client.remember(c.RememberArgs(content="I prefer tea"))).memory
        assert said is not None
        learned_by = (await client.explain(c.ExplainArgs(memory_id=goal.id))).model
        said_by = (await client.explain(c.ExplainArgs(memory_id=said.id))).model
    assert (learned_by, said_by) == ("haiku", None)


async def test_an_appointment_remembered_without_a_kind_is_a_date_with_its_day_and_time(memory: Memory) -> None:
    async with memory.client() as client:
        kept = (await client.remember(c.RememberArgs(content="Dentist on 24 February 2026 at 3pm"))).memory
        past = (await client.remember(c.RememberArgs(content="I woke up at 7am today"))).memory
    assert (kept.kind, kept.deadline) == ("date", datetime(2026, 2, 24, 7, tzinfo=UTC))
    assert (past.kind, past.deadline) == ("fact", None)


@pytest.mark.parametrize(
    ("content", "due"),
    [
        ("The dentist is on March 3rd", "2026-03-03 00:00:00"),
        ("We are going to Crete from 10 to 17 March", "2026-03-17 23:59:59"),
        ("Tengo que entregar el informe antes del 15 de marzo", "2026-03-15 00:00:00"),
        ("Wir sind vom 10. bis 17. März auf Kreta", "2026-03-17 23:59:59"),
        ("Le rendez-vous est le 3 mars", "2026-03-03 00:00:00"),
        ("L'esame è il 15 marzo", "2026-03-15 00:00:00"),
        ("A prova é no dia 15 de março", "2026-03-15 00:00:00"),
        ("Экзамен 15 марта", "2026-03-15 00:00:00"),
        ("明日の午後3時に会議", "2026-02-17 00:00:00"),
        ("我下周五考试", "2026-02-27 00:00:00"),
        ("Mañana por la mañana tengo dentista", "2026-02-17 00:00:00"),
        ("The party is on Good Friday", "2026-04-03 00:00:00"),
        ("Remind me to call mum on Friday", "2026-02-20 00:00:00"),
        ("I fly to Rome on Friday, and I met Ann there on 3 February", "2026-02-20 00:00:00"),
    ],
)
async def test_a_future_day_without_a_time_is_a_date_with_its_last_day(memory: Memory, content: str, due: str) -> None:
    async with memory.client() as client:
        kept = (await client.remember(c.RememberArgs(content=content))).memory
    assert kept is not None
    assert kept.deadline is not None
    assert (kept.kind, f"{kept.deadline.astimezone(SINGAPORE):%Y-%m-%d %H:%M:%S}") == ("date", due)


@pytest.mark.parametrize(
    "content",
    [
        "I started on 3 February at Acme",
        "I was born on 3 March 1990",
        "I go swimming on Sunday mornings",
        "Every Friday until 20 March I have yoga",
        "I moved to Lisbon last March",
        "I want to learn Spanish",
        "From 1 March I work at Acme",
        "Ab dem 1. März arbeite ich zu Hause",
        "Desde el 3 de marzo trabajo en casa",
        "3月1日から在宅勤務です",
        "In 2027 we will move to Lisbon",
        "Easter is my favourite feast",
        "Ostern feiern wir bei Oma",
    ],
)
async def test_a_past_day_a_habit_a_beginning_and_a_long_span_are_no_dates(memory: Memory, content: str) -> None:
    async with memory.client() as client:
        kept = (await client.remember(c.RememberArgs(content=content))).memory
    assert kept is not None
    assert (kept.kind == "date", kept.deadline) == (False, None)


async def test_a_day_without_a_time_is_coming_until_it_ends_and_then_stays_as_past(
    memory: Memory, clock: Clock
) -> None:
    contents = (
        "My exam is on 18 February",
        "I am in Rome from 17 to 18 February",
        "The dentist is on 18 February at 9am",
    )
    async with memory.client() as client:
        for content in contents:
            await client.remember(c.RememberArgs(content=content))
        clock.at = datetime(2026, 2, 18, 2, 0, tzinfo=UTC)  # 10:00 of that day
        coming = await coming_on_the_page(memory)
        clock.forward(days=3)
        await expiry.tidy((await memory.storage.services()).deps)
        over = await coming_on_the_page(memory)
        active = (await client.get_profile(c.GetProfileArgs())).dates
        context = (await client.get_context(c.GetContextArgs(query="Hello"))).context
    assert ["exam" in coming, "Rome" in coming, "dentist" in coming, over] == [True, True, False, ""]
    assert sorted("exam" in m.content for m in active) == [False, True]
    assert context.count("past: Feb 18") == 2


async def coming_on_the_page(memory: Memory) -> str:
    """The statements that the page's first screen lists as coming."""
    today = await (await memory.storage.services()).page.today(USER, NoArgs())
    return " | ".join(x.memory.content for x in today.coming)


async def test_a_remembered_day_that_depends_on_the_region_is_written_beside_its_words(memory: Memory) -> None:
    async with memory.client() as client:
        kept = (await client.remember(c.RememberArgs(content="The plumber comes Friday week"))).memory
    assert kept is not None
    assert (kept.kind, kept.content) == ("date", "The plumber comes Friday week (2026-02-27)")


async def test_a_day_that_is_near_is_shown_though_many_newer_memories_exist(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="Dentist on 2026-02-20 at 3pm", kind="date"))
        await client.remember(c.RememberArgs(content="Concert on 2026-08-20 at 8pm", kind="date"))
        for number in range(60):
            clock.forward(minutes=1)
            await client.remember(c.RememberArgs(content=f"Locker {number} holds the number {number * 7}"))
        contexts = [
            (await client.get_context(c.GetContextArgs(query=query, token_budget=budget, as_of=at))).context or ""
            for query, budget, at in [("Hello!", 700, None), ("Hello!", 4300, None), ("Hello!", 4300, clock())]
        ]
    assert ["Dentist" in context for context in contexts] == [True, True, True]
    assert ["Concert" in context for context in contexts[:2]] == [False, False]
    assert contexts[1].count("Locker") == 50


@pytest.mark.parametrize(
    ("kind", "content", "due", "shown"),
    [
        ("date", "Visa appointment", datetime(2026, 5, 1, 9), "Visa appointment (Feb 16, on May 1, 09:00 AM)"),
        ("goal", "Hand it in", datetime(2026, 5, 1, 9), "Hand it in (Feb 16, due May 1, 09:00 AM)"),
        ("date", "Passport expires", datetime(2026, 5, 1), "Passport expires (Feb 16, on May 1)"),
        ("goal", "Hand it in", datetime(2026, 5, 1, 23, 59), "Hand it in (Feb 16, due May 1)"),
        ("date", "Call (2026-05-01 09:00)", datetime(2026, 5, 1, 9), "Call (2026-05-01 09:00) (Feb 16, on May 1)"),
    ],
)
async def test_a_context_gives_the_time_of_a_deadline_unless_it_is_a_whole_day_or_the_text_gives_it(
    memory: Memory, kind: c.MemoryKind, content: str, due: datetime, shown: str
) -> None:
    deadline = due.replace(tzinfo=ZoneInfo(memory.settings.timezone))
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content=content, kind=kind, deadline=deadline))
        context = (await client.get_context(c.GetContextArgs(query="What is due?"))).context or ""
    assert shown in context


async def test_a_search_and_the_profiles_input_give_the_due_time_but_no_next_time_of_a_repeated_reminder(
    memory: Memory,
) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="Passport expires", kind="date", deadline=APRIL))
        await client.remember(c.RememberArgs(content="Passport photo is in the drawer", kind="fact"))
        daily = r.SetReminderArgs(content="Pills", at=APRIL, repeats="0 4 * * *", words="daily")
        await client.set_reminder(daily)
        found = (await client.search_memory(c.SearchMemoryArgs(query="passport"))).results
        text = (await client.mcp.call_tool("search_memory", {"query": "passport"})).content[0]
    assert f"due {APRIL.astimezone(ZoneInfo(memory.settings.timezone)).isoformat()}" in str(text)
    database = (await memory.storage.services()).deps.database
    told = {one.text: one.deadline for one in await memories.for_profile(database, USER, USER, 9)}
    assert {one.text: one.due for one in found} == {"Passport expires": APRIL, "Passport photo is in the drawer": None}
    assert told == {"Passport expires": APRIL, "Passport photo is in the drawer": None, "Pills (daily)": None}
