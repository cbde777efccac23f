"""A model of the summarizer checks the statements of the connected assistant, in a job of the queue."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient, MemoryRefused
from tellonce.reminders import ListRemindersArgs, SetReminderArgs
from tests import hand_worker
from tests.hand_worker import facts, profile, say
from tests.memory_fixtures import Clock, Memory, tables_with
from tests.server.test_assistant_statements import learn

pytestmark = pytest.mark.anyio

JOKE = "Imagine I were a millionaire living in Monaco"
MONACO = {"content": "The user is a millionaire living in Monaco", "quote": "a millionaire living in Monaco"}


async def due(agent: MemoryClient, tier: w.Tier = "claude") -> Sequence[w.WorkItem]:
    """The second readings that are due. An empty claim queues the work of lower tiers again."""
    args = w.ClaimWorkArgs(worker="reader", kinds=("second_reading",), best_tier=tier)
    return (await agent.claim_work(args)).jobs or (await agent.claim_work(args)).jobs


async def submit(
    agent: MemoryClient, job: w.WorkItem, doubts: Mapping[str, str | None], tier: w.Tier = "claude"
) -> dict[str, int]:
    """Submit the verdicts on the statements with these texts, and return what was stored."""
    assert isinstance(job.input, w.SecondReadingInput)
    verdicts = [
        w.ClaimVerdict(memory_id=claim.memory_id, doubt=doubts[claim.text])
        for claim in job.input.claims
        if claim.text in doubts
    ]
    calls = [w.ModelCall(model="m", tier=tier)] if tier != "keep" else []
    result = w.SecondReadingResult(verdicts=tuple(verdicts))
    return (await hand_worker.submit(agent, job, result, tier, calls=calls)).stored


async def told(client: MemoryClient, clock: Clock, text: str, *statements: dict[str, object]) -> list[c.Memory]:
    """Record the text, store statements about it, and wait until their second reading is due."""
    await say(client, clock, text)
    results = await learn(client, *statements)
    clock.forward(minutes=2)
    return [result.memory for result in results]


async def test_a_statement_that_the_messages_do_not_support_becomes_uncertain(memory: Memory, clock: Clock) -> None:
    sister = {"content": "Ann is the user's sister", "quote": "my sister Ann"}
    async with memory.client() as client, memory.agent() as agent:
        before = await told(client, clock, f"{JOKE}, said my sister Ann", MONACO, sister)
        assert [m.status for m in before] == ["active", "active"]
        (job,) = await due(agent)
        stored = await submit(agent, job, {MONACO["content"]: "only imagined", sister["content"]: None})
        why = await client.explain(c.ExplainArgs(memory_id=before[0].id))
        assert await facts(client) == [sister["content"]]
        assert not await due(agent)
    assert stored == {"doubted": 1, "confirmed": 1}
    assert (why.memory.status, why.memory.reason) == ("uncertain", "only imagined")


async def test_the_model_reads_the_quote_with_the_messages_around_it(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "Let us play a game")
        await told(client, clock, JOKE, MONACO)
        (job,) = await due(agent)
    assert isinstance(job.input, w.SecondReadingInput)
    (claim,) = job.input.claims
    assert [m.text for m in job.input.messages] == ["Let us play a game", "I see.", JOKE, "I see."]
    assert claim.quotes == (w.Quote(message_id=3, text=str(MONACO["quote"])),)


@pytest.mark.parametrize("edited", ["game", "garden"])
async def test_an_edit_of_any_message_that_the_model_read_voids_its_verdicts(
    memory: Memory, clock: Clock, edited: str
) -> None:
    """The model reads more than the sources. It also reads earlier messages and the statements of other threads."""
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "Let us play a game", "game")
        await say(client, clock, JOKE)
        await learn(client, MONACO)
        garden = c.RecordMessageArgs(role="user", content="I dug a pond", message_id="garden", message_thread_id=7)
        await client.record_message(garden)
        await learn(client, {"content": "The user dug a pond", "quote": "I dug a pond", "source_message_id": "garden"})
        clock.forward(minutes=2)
        (job,) = [job for job in await due(agent) if "Let us play" in str(job.input) and "pond" in str(job.input)]
        await client.record_message(c.RecordMessageArgs(role="user", content="I dug a pond here", message_id=edited))
        with pytest.raises(MemoryRefused, match="no longer yours"):
            await submit(agent, job, {str(MONACO["content"]): "only a game"})
        assert "I dug a pond here" in str([job.input for job in await due(agent)])


async def test_a_statement_without_a_quote_is_read_with_the_last_messages(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        (stored,) = await told(client, clock, "I live in Monaco", {"content": "I live in Monaco"})
        (job,) = await due(agent)
    assert stored.status == "active"
    assert isinstance(job.input, w.SecondReadingInput)
    assert [m.text for m in job.input.messages] == ["I live in Monaco", "I see."]


async def test_a_statement_without_a_source_is_read_with_the_messages_before_it_however_late(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await told(client, clock, "I live in Monaco", {"content": "I live in Monaco"})
        for number in range(5):
            await say(client, clock, f"I own {number + 2} bikes")
        await told(client, clock, "My sister is Ann", {"content": "My sister is Ann"})
        (job,) = await due(agent)
    assert isinstance(job.input, w.SecondReadingInput)
    assert [claim.text for claim in job.input.claims] == ["I live in Monaco", "My sister is Ann"]
    said = [m.text for m in job.input.messages if m.role == "user"]
    assert {"I live in Monaco", "My sister is Ann"} <= set(said)
    assert "I own 4 bikes" not in said


async def test_a_reminder_of_a_model_is_not_read_again_and_stays_set(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "In two hours: call Ann", "u1")
        at = clock() + timedelta(hours=2)
        order = SetReminderArgs(content="call Ann", at=at, source_message_id="u1", quote="In two hours: call Ann")
        reminder = await client.set_reminder(order)
        assert reminder.memory.status == "active"
        await told(client, clock, JOKE, MONACO)
        (job,) = await due(agent)
        assert isinstance(job.input, w.SecondReadingInput)
        assert [claim.text for claim in job.input.claims] == [MONACO["content"]]
        await submit(agent, job, {reminder.memory.content: "nothing is said about the user"})
        pending = (await client.list_reminders(ListRemindersArgs())).reminders
    assert [one.memory.id for one in pending] == [reminder.memory.id]


async def test_a_verdict_on_messages_that_were_edited_meanwhile_is_refused(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "Let us play a game", "u1")
        await told(client, clock, JOKE, MONACO)
        (job,) = await due(agent)
        edited = c.RecordMessageArgs(role="user", content="This is no game", message_id="u1", sent_at=clock())
        await client.record_message(edited)
        with pytest.raises(MemoryRefused):
            await submit(agent, job, {str(MONACO["content"]): "it was a game"})
        (again,) = await due(agent)
    assert isinstance(again.input, w.SecondReadingInput)
    assert "This is no game" in [m.text for m in again.input.messages]


async def test_a_tag_in_an_answer_of_the_bot_is_read_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent, memory.relay() as relay:
        await say(client, clock, JOKE, "u1")
        tag = {"content": MONACO["content"], "source_message_id": "u1"}
        (stored,) = (await relay.remember(c.RememberArgs.model_validate({"statements": [tag], "chat_id": 42}))).results
        assert stored.memory.status == "active"
        clock.forward(minutes=2)
        (job,) = await due(agent)
    assert isinstance(job.input, w.SecondReadingInput)
    assert [claim.text for claim in job.input.claims] == [MONACO["content"]]


async def test_long_messages_are_read_in_several_jobs(memory: Memory, clock: Clock) -> None:
    names = ("Ann", "Max", "Eva", "Tom", "Lea", "Ben", "Ida")
    read: list[str] = []
    sizes: list[int] = []
    async with memory.client() as client, memory.agent() as agent:
        for name in names:
            await told(
                client,
                clock,
                f"{'la ' * 3_000} My friend {name}",
                {"content": f"My friend {name}", "quote": f"friend {name}"},
            )
        while jobs := await due(agent):
            assert isinstance(jobs[0].input, w.SecondReadingInput)
            texts = [claim.text for claim in jobs[0].input.claims]
            read += texts
            sizes.append(sum(len(m.text) for m in jobs[0].input.messages))
            await submit(agent, jobs[0], dict.fromkeys(texts))
    assert (sorted(read), len(sizes) > 1) == (sorted(f"My friend {name}" for name in names), True)
    assert max(sizes) <= 41_000


async def test_statements_of_several_calls_share_a_job(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "I live in Monaco and my sister Ann lives in Rome")
        await learn(client, {"content": "The user lives in Monaco", "quote": "I live in Monaco"})
        assert not await due(agent)
        await learn(client, {"content": "Ann lives in Rome", "quote": "Ann lives in Rome"})
        clock.forward(minutes=2)
        (job,) = await due(agent)
    assert isinstance(job.input, w.SecondReadingInput)
    assert [claim.text for claim in job.input.claims] == ["The user lives in Monaco", "Ann lives in Rome"]


async def test_what_an_uncertain_statement_replaced_holds_again_until_the_user_confirms(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        rome = (await client.remember(c.RememberArgs(content="The user lives in Rome"))).memory
        assert rome is not None
        clock.forward(days=1)
        (monaco,) = await told(client, clock, JOKE, {**MONACO, "replaces": [rome.id]})
        assert await facts(client) == [MONACO["content"]]
        (job,) = await due(agent)
        assert isinstance(job.input, w.SecondReadingInput)
        assert job.input.claims[0].over == ("The user lives in Rome",)
        await submit(agent, job, {str(MONACO["content"]): "only imagined"})
        assert await facts(client) == ["The user lives in Rome"]
        assert [m.id for m in (await profile(client)).uncertain] == [monaco.id]
        await client.update_memory(c.UpdateMemoryArgs(memory_id=monaco.id, action="confirm"))
        assert await facts(client) == [MONACO["content"]]


async def test_a_statement_that_the_user_confirmed_meanwhile_stays(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        (monaco,) = await told(client, clock, JOKE, MONACO)
        (job,) = await due(agent)
        await client.update_memory(c.UpdateMemoryArgs(memory_id=monaco.id, action="confirm"))
        assert await submit(agent, job, {str(MONACO["content"]): "only imagined"}) == {}
        assert await facts(client) == [MONACO["content"]]


async def test_an_uncertain_statement_that_the_assistant_repeats_is_read_once_more(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await told(client, clock, JOKE, MONACO)
        (first,) = await due(agent)
        await submit(agent, first, {str(MONACO["content"]): "only imagined"})
        assert await facts(client) == []
        await told(client, clock, "And now?", MONACO)
        (second,) = await due(agent)
        await submit(agent, second, {str(MONACO["content"]): "only imagined"})
        assert await facts(client) == []


async def test_without_a_model_a_statement_stays_and_a_later_model_reads_it(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await told(client, clock, JOKE, MONACO)
        (without,) = await due(agent, "keep")
        assert await submit(agent, without, {}, "keep") == {}
        assert await facts(client) == [MONACO["content"]]
        (later,) = await due(agent, "ollama")
        await submit(agent, later, {str(MONACO["content"]): "only imagined"}, "ollama")
        assert await facts(client) == []


async def test_second_readings_use_paid_calls_until_they_are_as_many_as_the_exchanges(
    memory: Memory, clock: Clock
) -> None:
    best: list[w.Tier] = []
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, "My sister Ann and my brother Max live in Rome")
        for name in ("Ann", "Max"):
            await learn(client, {"content": f"{name} lives in Rome", "quote": "live in Rome"})
            await learn(client, {"content": f"The user knows {name}", "quote": name})
            clock.forward(minutes=2)
            (job,) = await due(agent)
            best.append(job.best_tier)
            await submit(agent, job, {})
    assert best == ["claude", "ollama"]


async def test_a_job_does_not_contain_the_name_of_a_thread_without_messages(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.tables() as tables:
        await say(client, clock, "I live in Monaco")
        statement = {"content": "The user lives in Monaco", "quote": "I live in Monaco", "source_message_id": "1"}
        args = {"statements": [statement], "message_thread_id": "zqvuxley"}
        await client.remember(c.RememberArgs.model_validate(args))
        assert await tables_with(tables, "Monaco") != []
        assert await tables_with(tables, "zqvuxley") == [], "forget would not find it"
