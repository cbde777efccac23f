"""The items of a worker become memories. Tested through MCP, with a worker whose answers are written by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.reminders import SetReminderArgs
from tellonce_server.domain.memory import expiry
from tests.hand_worker import claim, exchange, facts, item, nothing, number_of, profile, read, say, submit
from tests.memory_fixtures import Clock, Memory, forget, tables_with

pytestmark = pytest.mark.anyio

SINGAPORE = ZoneInfo("Asia/Singapore")
FRIDAY = datetime(2026, 2, 20, tzinfo=SINGAPORE)
SUNDAY = datetime(2026, 3, 1, tzinfo=SINGAPORE)


async def test_a_statement_with_the_users_words_is_known_with_what_it_rests_on(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "My sister Ann works as a nurse at Mercy Hospital")
        await read(agent, lambda x: [item(x, "Ann works as a nurse at Mercy Hospital", about="Ann", importance=0.7)])
        (fact,) = (await profile(client)).facts
        why = await client.explain(c.ExplainArgs(memory_id=fact.id))
    assert (fact.about, fact.status, fact.scope, fact.origin) == ("Ann", "active", "global", "extracted")
    assert (fact.user_confirmed, fact.importance, fact.sources) == (False, 0.7, (1,))
    assert why.quotes == ("My sister Ann works as a nurse at Mercy Hospital",)


@pytest.mark.parametrize(
    ("text", "quote", "reason"),
    [
        ("The user has 3 cats", None, "The number 3 is not in the quote."),
        ("The user lives in Lisbon", None, "The name Lisbon is not in the quote."),
        ("The user lives in Singapore", "I live in Singapore with two cats", None),
    ],
)
async def test_what_the_quote_does_not_bear_out_is_uncertain_with_the_reason(
    memory: Memory, clock: Clock, text: str, quote: str | None, reason: str | None
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Singapore with two cats")
        await read(agent, lambda x: [item(x, text, quote)])
        known = await profile(client)
        (found,) = (*known.facts, *known.uncertain)
        why = await client.explain(c.ExplainArgs(memory_id=found.id))
    assert (found.status, why.reason) == ("uncertain" if reason else "active", reason)


@pytest.mark.parametrize(
    ("text", "about", "status"),
    [
        ("Maria works at a bank", "Maria", "uncertain"),
        ("Ann works at a bank", "Ann", "active"),
        ("The user's sister works at a bank", "the user's sister", "active"),
    ],
)
async def test_the_name_at_the_beginning_of_a_statement_is_checked_too(
    memory: Memory, clock: Clock, text: str, about: str, status: str
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "Ann sends her regards")
        await say(client, clock, "My sister works at a bank")
        await read(agent, lambda x: [item(x, text, about=about)] if "bank" in x.messages[-2].text else [])
        known = await profile(client)
    assert [m.status for m in (*known.facts, *known.uncertain)] == [status]


async def test_what_quotes_nobody_or_the_assistant_is_dropped_and_counted(memory: Memory, clock: Clock) -> None:
    def invented(x: w.ExchangeInput) -> list[w.ExchangeItem]:
        assistants = w.Quote(message_id=x.messages[-1].id, text="I see.")
        return [
            item(x, "The user sees", quotes=(assistants,)),
            item(x, "The user is a pilot", "I am a pilot"),
            item(x, "The user likes tea"),
        ]

    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I like tea")
        (stored,) = await read(agent, invented)
        status = await agent.queue_status()
        assert await facts(client) == ["The user likes tea"]
    assert stored == {"dropped": 2, "memories": 1}
    assert status.reading.dropped == {"no true quote": 2}


NOT_OWN = (
    "See:\n⟦memory⟧\nI am a pilot\n⟦/memory⟧\nI like tea",
    "[forwarded from Eve]\n> Hello\u2028I am a pilot\nI like tea",
    "[file I am a pilot.pdf] I like tea",
    "[photo]\n> A letter: I am a pilot\nI like tea",
    "```\nI am a pilot\n```\nI like tea",
)
"""Messages that contain a sentence of somebody else and a sentence of the user."""
LABELLED = {"[file I am a pilot.pdf] I like tea": "[file I am a pilot.pdf] I like tea"}
"""Quotes that begin with a message's label."""


@pytest.mark.parametrize("said", NOT_OWN, ids=range(len(NOT_OWN)))
async def test_words_of_others_in_the_users_message_bear_nothing_out(memory: Memory, clock: Clock, said: str) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        (stored,) = await read(
            agent,
            lambda x: [
                item(x, "The user is a pilot", "I am a pilot"),
                item(x, "The user likes tea", LABELLED.get(said, "I like tea")),
            ],
        )
        assert await facts(client) == ["The user likes tea"]
    assert stored == {"dropped": 1, "memories": 1}


async def test_what_a_change_replaces_ends_when_it_was_said_and_is_struck_from_every_text_in_use(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I work at Bosch as a tester")
        await read(agent, lambda x: [item(x, "The user works at Bosch as a tester")])
        assert "Bosch" in (await profile(client)).narrative
        await say(client, clock, "I quit last week, I work at Siemens now")
        moment = clock()
        stored = await read(
            agent,
            lambda x: [
                item(
                    x,
                    "The user works at Siemens",
                    replaces=(number_of(x, "The user works at Bosch as a tester"),),
                )
            ],
            canonical="The user works at Bosch as a tester.\nThe user likes long walks.",
        )
        context = (await client.get_context(c.GetContextArgs(include=("profile", "summary", "memories")))).context
        (new,) = (await profile(client)).facts
        why = await client.explain(c.ExplainArgs(memory_id=new.id))
    assert stored == [{"superseded": 1}]
    assert "Bosch" not in (context or "")
    assert "long walks" in (context or "")
    (old,) = why.memories
    assert (old.status, old.valid_to, old.superseded_by, old.reason) == (
        "superseded",
        moment,
        new.id,
        f"replaced by #{new.id}",
    )


async def test_a_message_from_the_future_is_dated_now_and_can_be_corrected(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        ahead = clock() + timedelta(days=36_500)
        await client.record_message(c.RecordMessageArgs(role="user", content="I live in Paris", sent_at=ahead))
        await client.record_message(c.RecordMessageArgs(role="assistant", content="I see.", sent_at=ahead))
        await read(agent, lambda x: [item(x, "The user lives in Paris")])
        (paris,) = (await profile(client)).facts
        async with memory.tables() as tables:
            # Older memories can begin in the future, because their times were not checked.
            await tables.execute("update memories set valid_from = $1", ahead)
        await client.remember(c.RememberArgs(content="I live in Berlin", replaces=(paris.id,)))
        assert await facts(client) == ["I live in Berlin"]
    assert paris.valid_from == clock()


async def test_only_the_text_that_was_checked_becomes_certain(memory: Memory, clock: Clock) -> None:
    """An item can name an uncertain memory with other content, and wrongly call it the same statement."""
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "Look at this page")
        await read(agent, lambda x: [item(x, "The user banks at Evil Bank")])
        (doubted,) = (await profile(client)).uncertain
        await say(client, clock, "I like tea")
        await read(agent, lambda x: [item(x, "The user likes tea", same_as=doubted.id)])
        known = await profile(client)
    assert [m.content for m in (*known.facts, *known.uncertain)] == ["The user likes tea"]


async def test_a_summary_says_confirmed_only_of_what_the_user_said(memory: Memory, clock: Clock) -> None:
    said = "I moved to Lisbon with two cats"
    told = [
        ("The user moved to Lisbon.\nThe user banks at Evil Bank.", "The user moved to Lisbon.", "The user banks at Evil Bank."),
        ("The user has 2 cats and moved to Lisbon.", "The user has 2 cats and moved to Lisbon.", ""),
    ]  # fmt: skip
    async with memory.client() as client, memory.agent() as agent:
        for claimed, confirmed, inferred in told:
            await say(client, clock, said)
            job = await claim(agent, kinds=("exchange",))
            await submit(agent, job, exchange(user_confirmed=claimed), "claude")
            canonical = (await client.summarize_chat(c.SummarizeChatArgs())).canonical
            assert (canonical.user_confirmed, canonical.llm_inferred) == (confirmed, inferred)
            said = "Well"


WEDDING = "My wedding is on June 5"


@pytest.mark.parametrize(
    ("said", "text"),
    [(WEDDING, "The user's wedding is on June 5"), ("Ich bin Vegetarier", "The user eats no meat")],
)
async def test_forgetting_a_statement_takes_the_words_it_rests_on(
    memory: Memory, clock: Clock, said: str, text: str
) -> None:
    async with memory.client() as client, memory.agent() as agent, memory.tables() as tables:
        await say(client, clock, said)
        await read(agent, lambda x: [item(x, text)], canonical=text)
        (fact,) = (await profile(client)).facts
        done = await forget(client, memory_ids=(fact.id,))
        left = [await tables_with(tables, words) for words in (said.removeprefix("My "), text)]
    assert (done.traces_left, left) == (0, [[], []])


async def test_a_topic_in_the_users_words_takes_the_statement_that_words_it_differently(
    memory: Memory, clock: Clock
) -> None:
    said = "My passport number is X1234567 and my sister is Ann"
    async with memory.client() as client, memory.agent() as agent, memory.tables() as tables:
        await say(client, clock, said)
        passport, sister = "The user's passport number is X1234567", "Ann is the user's sister"
        await read(agent, lambda x: [item(x, passport), item(x, sister, about="Ann")])
        done = await forget(client, topic="my passport number")
        left = await tables_with(tables, "X1234567")
        known = await facts(client)
    assert (done.traces_left, left, known) == (0, [], [sister])


async def test_a_date_that_an_edit_takes_back_is_in_no_text_in_use(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, WEDDING, "7")
        await read(agent, lambda x: [item(x, "The user's wedding is on June 5")], canonical="The wedding is on June 5.")
        await say(client, clock, "My wedding is on June 12", "7")
        context = await client.get_context(c.GetContextArgs())
    assert "June 12" in (context.context or "")
    assert "June 5" not in (context.context or "")


async def test_an_ending_ends_a_goal_and_a_profile_is_written_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I want to run the marathon")
        await read(agent, lambda x: [item(x, "The user wants to run the marathon", kind="goal")])
        await say(client, clock, "I gave up on that, my knee is bad")

        def gave_up(x: w.ExchangeInput) -> list[w.ExchangeItem]:
            return [item(x, "The user has a bad knee", ends=(number_of(x, "The user wants to run the marathon"),))]

        await read(agent, gave_up)
        known = await profile(client)
    assert known.goals == ()
    assert [m.content for m in known.facts] == ["The user has a bad knee"]
    assert "marathon" not in known.narrative


async def test_an_uncertain_change_ends_nothing_until_the_user_confirms_it(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Oslo")
        await read(agent, lambda x: [item(x, "The user lives in Oslo")])
        await say(client, clock, "Perhaps I am in Rome for good")
        await read(
            agent,
            lambda x: [
                item(
                    x,
                    "The user lives in Rome",
                    certain=False,
                    doubt="It may be a trip.",
                    replaces=(number_of(x, "The user lives in Oslo"),),
                )
            ],
        )
        before = await profile(client)
        (doubted,) = before.uncertain
        why = await client.explain(c.ExplainArgs(memory_id=doubted.id))
        await client.update_memory(c.UpdateMemoryArgs(memory_id=doubted.id, action="confirm"))
        after = await facts(client)
    assert [m.content for m in before.facts] == ["The user lives in Oslo"]
    assert (why.reason, why.would_replace) == ("It may be a trip.", (before.facts[0].id,))
    assert after == ["The user lives in Rome"]


async def test_a_number_the_reader_was_not_shown_makes_the_item_uncertain(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Rome")
        await read(agent, lambda x: [item(x, "The user lives in Rome", replaces=(777,))])
        (doubted,) = (await profile(client)).uncertain
    assert doubted.reason == "It names memory 777, which the model was not shown."


async def test_what_is_said_again_is_the_same_memory_with_more_sources(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Oslo")
        await read(agent, lambda x: [item(x, "The user lives in Oslo")])
        await say(client, clock, "Here in Oslo it rains again")
        stored = await read(agent, lambda x: [item(x, "The user's home is Oslo", same_as=x.known[0].id)])
        (fact,) = (await profile(client)).facts
    assert stored == [{"duplicates": 1}]
    assert (fact.content, fact.sources) == ("The user lives in Oslo", (1, 3))


async def test_a_statement_that_repeats_a_note_of_another_exchange_takes_its_place(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Oslo")
        await read(agent, lambda x: [item(x, "I live in Oslo", note=True)], "keep")
        await say(client, clock, "Oslo has been home since May")
        live = "Oslo has been home since May"

        def again(x: w.ExchangeInput) -> Sequence[w.ExchangeItem]:
            if x.messages[0].text != live:
                return ()
            return [item(x, "The user's home is Oslo", same_as=number_of(x, "I live in Oslo"))]

        await read(agent, again, "claude")
        (fact,) = (await profile(client)).facts
    assert (fact.content, fact.note) == ("The user's home is Oslo", False)


async def test_the_order_for_a_reminder_is_no_note(memory: Memory, clock: Clock) -> None:
    order, fact = "Kannst du mich morgen um 9 an den Zahnarzt erinnern?", "Der Zahnarzt heißt Dr. Lang"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, order, "1")
        at = clock() + timedelta(days=1)
        await client.set_reminder(SetReminderArgs(content="Zahnarzt", at=at, source_message_id="1"))
        await read(agent, lambda x: [item(x, order, note=True)], "keep")
        await say(client, clock, fact)
        await read(agent, lambda x: [item(x, fact, note=True)], "keep")
        found = await profile(client)
    assert [note.content for note in found.facts] == [fact]


async def test_undoing_the_edit_of_a_note_brings_the_note_back(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Oslo")
        await read(agent, lambda x: [item(x, "I live in Oslo", note=True)], "keep")
        (note,) = (await profile(client)).facts
        before = await client.explain(c.ExplainArgs(memory_id=note.id))
        edited = await client.update_memory(
            c.UpdateMemoryArgs(memory_id=note.id, action="edit", content="I love Bergen")
        )
        corrected = await client.explain(c.ExplainArgs(memory_id=note.id))
        former = {"memory_id": note.id, "status": "active", "user_confirmed": False, "pinned": False}
        undo = {"memories": [{**former, "edited": {"note": True, "deadline": None}}]}
        undone = await client.mcp.call_tool("page_undo", undo)
        again = await client.mcp.call_tool("page_undo", undo)
        after = await client.explain(c.ExplainArgs(memory_id=note.id))
        found = await client.search_memory(c.SearchMemoryArgs(query="Oslo", kinds=("fact",)))
    assert (edited.note, [version.text for version in corrected.versions]) == (False, ["I live in Oslo"])
    assert (undone.is_error, again.is_error) == (False, True)
    assert after == before
    assert after.memory == note
    assert [result.id for result in found.results] == [note.id]


async def test_the_user_is_known_by_the_name_they_gave_until_it_is_forgotten(memory: Memory, clock: Clock) -> None:
    seen: list[str | None] = []

    def named(x: w.ExchangeInput) -> Sequence[w.ExchangeItem]:
        seen.append(x.user_name)
        said = x.messages[0].text
        if "Priya" in said:
            return [item(x, "The user is called Priya", user_name="Priya")]
        return [item(x, "The user's brother is called Ravi", user_name="Sam")] if "Ravi" in said else ()

    async with memory.client() as client, memory.agent() as agent:
        for said in ("by the way, I'm Priya", "My brother is called Ravi", "Good night"):
            await say(client, clock, said)
            await read(agent, named)
        known = await profile(client)
        shown = await client.mcp.call_tool("get_profile", {"chat_id": 42})
        named_one = next(m for m in known.facts if "Priya" in m.content)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=named_one.id, action="reject"))
        after = await profile(client)
    assert seen == [None, "Priya", "Priya"]
    assert (known.user_name, after.user_name) == ("Priya", None)
    assert "the user's name: Priya" in str(shown.content)


async def test_the_older_of_two_statements_received_out_of_order_is_history(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        oslo, rome = "I live in Oslo", "I live in Rome"
        await say(client, clock, oslo)
        await read(agent, nothing, "keep")
        await say(client, clock, rome)
        await read(agent, lambda x: [item(x, "The user lives in Rome")] if x.messages[0].text == rome else (), "keep")

        def again(x: w.ExchangeInput) -> Sequence[w.ExchangeItem]:
            if x.messages[0].text != oslo:
                return [item(x, "The user lives in Rome")]
            return [item(x, "The user lives in Oslo", replaces=[m.id for m in x.known if "Rome" in m.text])]

        await read(agent, again, "claude")
        assert await facts(client) == ["The user lives in Rome"]


async def test_without_a_model_the_users_sentence_is_a_note_and_a_model_takes_its_place(
    memory: Memory, clock: Clock
) -> None:
    said = "I moved to Lisbon last week"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, lambda x: [item(x, said, note=True)], "keep")
        (note,) = (await profile(client)).facts
        shown = (await client.get_context(c.GetContextArgs(include=("memories",)))).context
        waiting = (await agent.queue_status()).reading
        stored = await read(agent, lambda x: [item(x, "The user lives in Lisbon")], "claude")
        (fact,) = (await profile(client)).facts
        gone = await client.explain(c.ExplainArgs(memory_id=note.id))
        read_now = (await agent.queue_status()).reading
    assert (note.note, note.status) == (True, "active")
    assert f"“{said}” (Feb 16)" in (shown or "")
    assert (waiting.to_read_again, [(x.tier, x.exchanges) for x in waiting.read_by]) == (1, [("keep", 1)])
    assert stored == [{"memories": 1, "taken_back": 1}]
    assert (fact.content, fact.note) == ("The user lives in Lisbon", False)
    assert gone.memory is not None
    assert (gone.memory.status, gone.memory.reason) == ("superseded", "read again by claude")
    assert (read_now.to_read_again, [(x.tier, x.exchanges) for x in read_now.read_by]) == (0, [("claude", 1)])


async def test_a_note_the_user_confirmed_stays_when_a_model_reads_again(memory: Memory, clock: Clock) -> None:
    said = "I moved to Lisbon last week"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, lambda x: [item(x, said, note=True)], "keep")
        (note,) = (await profile(client)).facts
        await client.update_memory(c.UpdateMemoryArgs(memory_id=note.id, action="confirm"))
        await read(agent, nothing, "claude")
        assert await facts(client) == [said]


async def test_a_note_that_is_only_searched_is_found_but_not_shown(memory: Memory, clock: Clock) -> None:
    said = "The zucchini grew wild this year"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, lambda x: [item(x, said, note=True, shown=False)], "keep")
        shown = (await client.get_context(c.GetContextArgs(include=("memories",)))).context
        found = await client.search_memory(c.SearchMemoryArgs(query="zucchini", kinds=("fact",)))
        known = await profile(client)
        notes = await client.get_profile(c.GetProfileArgs(kinds=("note",)))
        goals = await client.get_profile(c.GetProfileArgs(kinds=("goal",)))
        await client.update_memory(c.UpdateMemoryArgs(memory_id=notes.facts[0].id, action="pin"))
        pinned = await profile(client)
    assert "zucchini" not in (shown or "")
    assert [x.text for x in found.results] == [f"“{said}”"]
    assert (known.facts, known.only_searched, goals.facts) == ((), 1, ())
    assert [(m.content, m.shown) for m in notes.facts] == [(said, False)]
    assert ([m.content for m in pinned.facts], pinned.only_searched) == ([said], 0)


async def test_a_note_that_is_not_the_users_sentence_is_dropped(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I like tea")
        (stored,) = await read(agent, lambda x: [item(x, "I like strong tea", "I like tea", note=True)], "keep")
    assert stored == {"dropped": 1}


async def test_a_date_that_has_passed_is_history_and_a_goal_long_overdue_is_asked_about_once(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "My dentist appointment is on 2026-02-20 and my thesis is due on 2026-03-01")
        await read(
            agent,
            lambda x: [
                item(x, "The user has a dentist appointment", kind="date", when={"start": FRIDAY, "end": FRIDAY}),
                item(x, "The user finishes the thesis", kind="goal", deadline=SUNDAY),
            ],
        )
        services = await memory.storage.services()
        coming = [(len(p.dates), len(p.goals), len(p.uncertain)) for p in [await profile(client)]]
        for days in (6, 40, 1, 20):
            clock.forward(days=days)
            await expiry.tidy(services.deps)
            known = await profile(client)
            coming.append((len(known.dates), len(known.goals), len(known.uncertain)))
    assert coming == [(1, 1, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1), (0, 0, 0)]


async def test_an_overdue_goal_leaves_the_profile_and_ends_at_a_no_but_can_be_set_again(
    memory: Memory, clock: Clock
) -> None:
    thesis = "The user finishes the thesis"

    def goals(x: w.ExchangeInput) -> list[w.ExchangeItem]:
        return [item(x, thesis, kind="goal", deadline=SUNDAY if "due" in x.messages[0].text else None)]

    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I finish the thesis, it is due on 2026-03-01")
        await read(agent, goals)
        clock.forward(days=20)
        believed = clock()
        clock.forward(days=30)
        await expiry.tidy((await memory.storage.services()).deps)
        await read(agent, nothing)
        asked = await profile(client)
        then = await client.get_context(c.GetContextArgs(as_of=believed))
        ended = await client.update_memory(c.UpdateMemoryArgs(memory_id=asked.uncertain[0].id, action="reject"))
        await say(client, clock, "I finish the thesis after all")
        await read(agent, goals)
        again = await profile(client)
    assert asked.narrative == ""
    assert thesis in (then.context or "")
    assert ended.status == "completed"
    assert [goal.content for goal in again.goals] == [thesis]


async def test_a_goal_the_user_says_is_still_one_is_not_asked_about_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        goal = (await client.remember(c.RememberArgs(content="Finish the thesis", kind="goal", deadline=SUNDAY))).memory
        services = await memory.storage.services()
        clock.forward(days=50)
        await expiry.tidy(services.deps)
        assert goal is not None
        await client.update_memory(c.UpdateMemoryArgs(memory_id=goal.id, action="confirm"))
        clock.forward(days=50)
        await expiry.tidy(services.deps)
        known = await profile(client)
    assert [m.content for m in known.goals] == ["Finish the thesis"]


async def test_known_holds_what_is_like_the_exchange_the_pins_and_what_was_just_learned(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for n in range(60):
            await client.remember(c.RememberArgs(content=f"Saw the movie number {n}"))
        await client.remember(c.RememberArgs(content="Plays the bassoon"))
        await client.remember(c.RememberArgs(content="Allergic to penicillin", pinned=True))
        clock.forward(hours=1)
        await client.remember(c.RememberArgs(content="Owns a kayak"))
        await say(client, clock, "The bassoon needs a new reed")
        (job,) = (await agent.claim_work(w.ClaimWorkArgs(worker="one"))).jobs
    assert isinstance(job.input, w.ExchangeInput)
    known = [m.text for m in job.input.known]
    assert len(known) <= 40
    assert {"Plays the bassoon", "Allergic to penicillin", "Owns a kayak"} <= set(known)
    assert job.input.now - datetime(2026, 2, 16, tzinfo=UTC) < timedelta(days=1)
