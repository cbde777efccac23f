"""A context for a past time shows what was known then, even after edits. It never shows text that was forgotten
since."""

from collections.abc import AsyncIterator
from datetime import datetime

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tellonce_server.services.page.reads import PageMemoriesArgs
from tests.hand_worker import item, number_of, read, say, submit
from tests.memory_fixtures import USER, Clock, Memory, forget

pytestmark = pytest.mark.anyio

SECTIONS = ("profile", "summary", "memories", "history")


class Diary:
    """A conversation whose derived texts repeat their inputs word for word."""

    def __init__(self, client: MemoryClient, agent: MemoryClient, clock: Clock) -> None:
        self.client = client
        self.agent = agent
        self.clock = clock

    async def say(self, text: str, number: str | None = None, topic: int | None = None) -> None:
        self.clock.forward(minutes=1)
        said = c.RecordMessageArgs(
            role="user", content=text, message_id=number, message_thread_id=topic, sent_at=self.clock()
        )
        await self.client.record_message(said)

    async def edit(self, text: str, number: str, topic: int | None = None) -> None:
        said = c.RecordMessageArgs(role="user", content=text, message_id=number, message_thread_id=topic)
        assert (await self.client.record_message(said)).outcome == "edited"

    async def forget(self, topic: str) -> None:
        done = await forget(self.client, topic=topic)
        assert done.traces_left == 0

    async def work(self, *, compact: bool = False) -> list[str]:
        """Do all due jobs; each result repeats its input. Returns the kinds of the jobs. The clock advances by a
        day."""
        if compact:
            await self.client.summarize_chat(c.SummarizeChatArgs(now=True))
        kinds: list[str] = []
        while jobs := (await self.agent.claim_work(w.ClaimWorkArgs(worker="w"))).jobs:
            for job in jobs:
                await submit(self.agent, job, repeated(job.input), "claude")
                kinds.append(job.kind)
        self.clock.forward(days=1)
        return kinds

    async def seen(self, as_of: datetime | None = None, topic: int | None = None) -> str:
        args = c.GetContextArgs(as_of=as_of, message_thread_id=topic, token_budget=20_000)
        return (await self.client.get_context(args)).context or ""

    def day(self) -> datetime:
        """Return the current time and advance the clock by a day."""
        now = self.clock()
        self.clock.forward(days=1)
        return now


def repeated(work: w.WorkInput) -> w.WorkResult:
    match work:
        case w.ExchangeInput():
            said = [f"Canonical: {message.text}" for message in work.messages]
            general = "\n".join([*filter(None, [work.canonical.general_summary]), *said])
            return w.ExchangeResult(canonical=w.Canonical(general_summary=general))
        case w.ThreadInput():
            told = [chunk.text.replace("Chunk: ", f"{work.level.title()}: ") for chunk in work.chunks]
            return w.SummaryResult(text="\n".join([*filter(None, [work.prior_text]), *told]))
        case w.SecondReadingInput():
            return w.SecondReadingResult()
        case w.ProfileInput():
            return w.ProfileResult(narrative="\n".join(f"Profile: {memory.text}" for memory in work.memories))
        case w.RoutineInput():
            return w.RoutineResult(summary=work.message.text)
        case w.ChunkInput() | w.ErasureInput():
            return w.SummaryResult(text="\n".join(f"Chunk: {message.text}" for message in work.messages))


@pytest.fixture
async def diary(memory: Memory, clock: Clock) -> AsyncIterator[Diary]:
    async with memory.client() as client, memory.agent() as agent:
        yield Diary(client, agent, clock)


async def told_and_summarised(diary: Diary) -> datetime:
    """Record messages and a memory about a regatta in Sorrento, followed by small talk, and summarize them. Each
    derived text contains Sorrento."""
    await diary.say("My regatta takes place in Sorrento.", "m1")
    await diary.say("My boat is painted green.")
    for number in range(21):
        await diary.say(f"Small talk number {number}.")
    await diary.client.remember(c.RememberArgs(content="My sailing club meets in Sorrento"))
    await diary.work(compact=True)
    for number in range(6):
        await diary.say(f"More small talk, number {number}.")
        await diary.client.record_message(c.RecordMessageArgs(role="assistant", content="Noted."))
        await diary.work()
    return diary.day()


EVERYWHERE = ("Chunk: My regatta takes place in Sorrento", "Thread: My regatta takes place in Sorrento")
CANONICAL = "Canonical: My regatta takes place in Sorrento"
PROFILE = "Profile: My sailing club meets in Sorrento"


async def test_after_an_edit_a_context_as_of_before_it_says_what_was_said_then(diary: Diary) -> None:
    before = await told_and_summarised(diary)
    seen_then = await diary.seen()
    await diary.edit("My regatta takes place in Brindisi.", "m1")
    between = diary.day()
    await diary.work()
    past, meanwhile, today = await diary.seen(before), await diary.seen(between), await diary.seen()
    for text in (*EVERYWHERE, CANONICAL):
        assert text in seen_then
        assert text in past
        assert text not in meanwhile
        assert text not in today
    assert "Brindisi" not in past
    assert "Chunk: My regatta takes place in Brindisi" in today
    assert "Thread: My regatta takes place in Brindisi" in today


async def test_what_was_forgotten_is_in_no_context_as_of_any_moment(diary: Diary) -> None:
    before = await told_and_summarised(diary)
    assert PROFILE in await diary.seen(before)
    await diary.forget("Sorrento")
    between = diary.day()
    await diary.work()
    for moment in (before, between, None):
        seen = await diary.seen(moment)
        assert "Sorrento" not in seen
        assert "Chunk: My boat is painted green" in seen
        assert "Thread: My boat is painted green" in seen


async def test_what_an_edit_took_back_is_forgotten_in_the_versions_kept_of_it_too(diary: Diary, memory: Memory) -> None:
    before = await told_and_summarised(diary)
    await diary.edit("My regatta takes place in Brindisi.", "m1")
    await diary.work()
    async with memory.tables() as tables:
        kept = await tables.fetch(
            "select subject from text_versions v cross join lateral jsonb_each(v.value) as part"
            " where former_text(v.owner_id, part.value) like '%regatta% in Sorrento%'"
        )
    await diary.forget("Sorrento")
    await diary.work()
    assert {row["subject"].partition(":")[0] for row in kept} >= {"chunk", "thread", "session", "canonical"}
    assert "Sorrento" not in await diary.seen(before)
    assert "regatta takes place in Brindisi" not in await diary.seen(before)


async def test_a_text_is_not_shown_as_of_before_it_was_written(diary: Diary) -> None:
    beginning = diary.day()
    before_summaries = beginning
    after = await told_and_summarised(diary)
    early, late = await diary.seen(before_summaries), await diary.seen(after)
    assert "Sorrento" not in early
    assert all(text in late for text in (*EVERYWHERE, CANONICAL, PROFILE))


async def test_a_quoted_message_and_its_neighbours_are_as_they_were(diary: Diary) -> None:
    await diary.say("We could sail to Elba.", "m1")
    await diary.say("Or to Ischia, my treat.", "m2")
    then = diary.day()
    await diary.edit("We could sail to Malta.", "m1")
    await diary.edit("Or to Gozo, my treat.", "m2")
    await diary.say("Neither, thank you.", "m3")
    args = c.GetContextArgs(as_of=then, reply_to_message_id="m1", token_budget=4000)
    past = (await diary.client.get_context(args)).context or ""
    today = (await diary.client.get_context(args.model_copy(update={"as_of": None}))).context or ""
    assert all(text in past for text in ("Elba", "Ischia"))
    assert not any(text in past for text in ("Malta", "Gozo", "Neither"))
    assert all(text in today for text in ("Malta", "Gozo", "Neither"))


async def silent_and_busy(diary: Diary, memory: Memory) -> None:
    """Topic 5 gets no more messages before it is summarized. Topic 6 gets more messages and is summarized first."""
    await diary.say("The vault code is a secret of Quzibro.", "q", topic=5)
    for number in range(21):
        await diary.say(f"Silent thread, number {number}.", topic=5)
    for number in range(44):
        await diary.say(f"Busy thread, number {number}.", topic=6)
    await diary.work()
    await diary.work(compact=True)


async def session(memory: Memory) -> str:
    async with memory.tables() as tables:
        texts = await tables.fetch("select text, body::text from conversation_summaries where kind = 'session'")
    assert len(texts) == 1
    return str(texts[0]["text"])


async def test_the_session_summary_takes_in_a_thread_that_was_silent_while_later_messages_were_summarised(
    diary: Diary, memory: Memory
) -> None:
    await silent_and_busy(diary, memory)
    told = await session(memory)
    assert "Session: The vault code is a secret of Quzibro." in told
    assert "Session: Busy thread, number 0." in told


async def test_forgetting_in_a_silent_thread_remakes_the_session_summary_from_all_threads(
    diary: Diary, memory: Memory
) -> None:
    await silent_and_busy(diary, memory)
    await diary.forget("Quzibro")
    kinds = await diary.work()
    told = await session(memory)
    assert "thread_summary" in kinds
    assert "Quzibro" not in told
    assert told.count("Silent thread, number 0.") == 1
    assert told.count("Busy thread, number 1.") == 1


async def test_an_edit_in_a_silent_thread_remakes_the_session_summary_from_all_threads(
    diary: Diary, memory: Memory
) -> None:
    await silent_and_busy(diary, memory)
    await diary.edit("The vault code is a secret of Vortamel.", "q", topic=5)
    await diary.work()
    told = await session(memory)
    assert "Session: The vault code is a secret of Vortamel." in told
    assert "Quzibro" not in told
    assert told.count("Silent thread, number 0.") == 1
    assert told.count("Busy thread, number 1.") == 1


async def test_a_statement_is_shown_until_the_user_said_that_it_had_ended_before(diary: Diary, memory: Memory) -> None:
    treasurer, president = "The user is the treasurer of the club", "The user is the president of the club"
    client, agent, clock = diary.client, diary.agent, diary.clock
    await say(client, clock, "I am the treasurer of the club")
    await read(agent, lambda x: [item(x, treasurer)])
    clock.forward(days=10)
    began = diary.day()
    then = diary.day()
    await say(client, clock, "I have been the president of the club since last week")
    when = w.When(start=began)
    await read(agent, lambda x: [item(x, president, when=when, replaces=(number_of(x, treasurer),))])
    shown = [await diary.seen(then), await diary.seen()]
    page = (await memory.storage.services()).page
    (listed,) = (await page.memories(USER, PageMemoriesArgs(as_of=then, kinds=("fact",)))).entries
    found = await client.get_context(c.GetContextArgs(query="club treasurer", as_of=then, include=("relevant",)))
    assert [(treasurer in one, president in one) for one in shown] == [(True, False), (False, True)]
    assert listed.memory.content == treasurer
    assert treasurer in (found.context or "")
