"""A conversation is read again when a better model is available, or after an edit. Statements that have ended in the
meantime do not become current again."""

from collections.abc import Mapping

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tests.memory_fixtures import Clock, Memory

pytestmark = pytest.mark.anyio

GOAL = "I need to launch the SingPass API integration"
SINGAPORE, LISBON = "I live in Singapore", "I live in Lisbon"


async def say(client: MemoryClient, clock: Clock, text: str, number: str | None = None) -> None:
    clock.forward(minutes=5)
    args = c.RecordMessageArgs(role="user", content=text, message_id=number, sent_at=clock())
    await client.record_message(args)
    clock.forward(minutes=5)


async def read(agent: MemoryClient, tier: w.Tier, kind: w.LearnedKind, readings: Mapping[str, str]) -> list[str]:
    """Do all due jobs as a worker of that tier. `readings` maps a message's text to the text of the item that the
    worker reads from it. Returns the outcomes of the items."""
    verdicts: list[str] = []
    for _ in range(2):  # an empty claim requeues the results of lower tiers
        while jobs := (await agent.claim_work(w.ClaimWorkArgs(worker="reader", best_tier=tier))).jobs:
            for job in jobs:
                args = {"job_id": job.job_id, "fence": job.fence, "result": answer(job.input, kind, readings)}
                verdicts += (await agent.submit_work(w.SubmitWorkArgs(**args, model="m", tier=tier))).stored
    return verdicts


async def dropped(agent: MemoryClient) -> dict[str, int]:
    return (await agent.queue_status()).reading.dropped


def answer(work: w.WorkInput, kind: w.LearnedKind, readings: Mapping[str, str]) -> w.WorkResult:
    match work:
        case w.ExchangeInput():
            items = tuple(
                w.ExchangeItem(
                    text=readings[said.text],
                    kind=kind,
                    quotes=(w.Quote(message_id=said.id, text=said.text),),
                    certain="might" not in said.text,
                    replaces=[m.id for m in work.known if said.text == LISBON and m.text == SINGAPORE],
                )
                for said in work.messages
                if said.text in readings
            )
            return w.ExchangeResult(items=items, canonical=w.Canonical())
        case w.SecondReadingInput():
            return w.SecondReadingResult()
        case w.ProfileInput():
            return w.ProfileResult(narrative="A person.")
        case _:
            return w.SummaryResult(text="A talk.")


async def facts(client: MemoryClient) -> list[str]:
    return [fact.content for fact in (await client.get_profile(c.GetProfileArgs())).facts]


async def test_a_goal_that_is_done_is_not_open_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, GOAL)
        await read(agent, "ollama", "goal", {GOAL: GOAL})
        (goal,) = (await client.get_profile(c.GetProfileArgs())).goals
        await client.update_memory(c.UpdateMemoryArgs(memory_id=goal.id, action="complete"))
        await read(agent, "claude", "goal", {GOAL: "The user needs to launch the SingPass integration"})
        since = await dropped(agent)
        left = (await client.get_profile(c.GetProfileArgs())).goals
        await say(client, clock, GOAL)
        await read(agent, "claude", "goal", {GOAL: GOAL})
        said_again = (await client.get_profile(c.GetProfileArgs())).goals
    assert since == {"set or ended since": 1}
    assert left == ()
    assert [g.content for g in said_again] == [GOAL]


@pytest.mark.parametrize(
    ("said", "right", "read_again"),
    [
        ("I live in Berlin", "I live in Bonn", "The user lives in Berlin"),
        ("I live in Berlin", "I live in Bonn", "The user's home is Berlin"),
        ("I am allergic to peanuts", "I am allergic to walnuts", "The user is allergic to peanuts"),
    ],
)
async def test_what_the_user_put_right_stays_right(
    memory: Memory, clock: Clock, said: str, right: str, read_again: str
) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, "ollama", "fact", {said: said})
        (fact,) = (await client.get_profile(c.GetProfileArgs())).facts
        await client.update_memory(c.UpdateMemoryArgs(memory_id=fact.id, action="edit", content=right))
        await read(agent, "claude", "fact", {said: read_again})
        assert await facts(client) == [right]


@pytest.mark.parametrize("pinned", [True, False])
async def test_what_the_user_pinned_outlives_a_better_reading(memory: Memory, clock: Clock, pinned: bool) -> None:
    said = "My locker is the one by the lift"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, "ollama", "fact", {said: said})
        (fact,) = (await client.get_profile(c.GetProfileArgs())).facts
        if pinned:
            await client.update_memory(c.UpdateMemoryArgs(memory_id=fact.id, action="pin"))
        await read(agent, "claude", "fact", {})
        assert await facts(client) == [said] * pinned


async def test_what_the_user_said_no_to_is_not_asked_again_in_other_words(memory: Memory, clock: Clock) -> None:
    said = "I might move to Berlin next year"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, "ollama", "goal", {said: said})
        (doubt,) = (await client.get_profile(c.GetProfileArgs())).uncertain
        await client.update_memory(c.UpdateMemoryArgs(memory_id=doubt.id, action="reject"))
        await read(agent, "claude", "goal", {said: "The user might move to Berlin"})
        profile = await client.get_profile(c.GetProfileArgs())
        since = await dropped(agent)
    assert since == {"rejected before": 1}
    assert profile.uncertain == ()


async def test_what_the_user_said_no_to_is_learned_when_they_say_it_later_and_it_is_certain(
    memory: Memory, clock: Clock
) -> None:
    joke, doubted, fact = "I am a vegetarian today, ha ha", "I might be a vegetarian", "Since May I am a vegetarian"
    vegetarian = "The user is a vegetarian"
    found: list[list[str]] = []
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, joke)
        await read(agent, "ollama", "fact", {joke: vegetarian})
        (wrong,) = (await client.get_profile(c.GetProfileArgs())).facts
        await client.update_memory(c.UpdateMemoryArgs(memory_id=wrong.id, action="reject"))
        for said, tier in ((joke, "claude"), (doubted, "claude"), (fact, "claude")):
            if said != joke:
                await say(client, clock, said)
            await read(agent, tier, "fact", {said: vegetarian})
            known = await client.get_profile(c.GetProfileArgs())
            found.append([m.status for m in (*known.facts, *known.uncertain)])
    assert found == [[], [], ["active"]]


async def test_what_an_edit_took_back_is_learned_when_it_is_said_again(memory: Memory, clock: Clock) -> None:
    march = "My offsite is on March 15"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, march, "7")
        await read(agent, "claude", "date", {march: march})
        await say(client, clock, "My offsite is on March 22", "7")
        await read(agent, "claude", "date", {})
        again = f"Back to the old plan: {march}"
        await say(client, clock, again)
        await read(agent, "claude", "date", {again: march})
        profile = await client.get_profile(c.GetProfileArgs())
    assert [date.content for date in profile.dates] == [march]


async def test_what_an_edited_message_had_replaced_holds_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for text, number in ((SINGAPORE, None), (LISBON, "7")):
            await say(client, clock, text, number)
            await read(agent, "claude", "fact", {text: text})
        before = await facts(client)
        await say(client, clock, "I visited Porto", "7")
        after = await facts(client)
    assert (before, after) == ([LISBON], [SINGAPORE])


async def test_what_a_forgotten_memory_had_replaced_is_not_learned_as_new(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for text in (SINGAPORE, LISBON):
            await say(client, clock, text)
            await read(agent, "ollama", "fact", {text: text})
        preview = await client.forget(c.ForgetArgs(topic="Lisbon"))
        await client.forget(c.ForgetArgs(topic="Lisbon", confirm=preview.confirm))
        await read(agent, "claude", "fact", {SINGAPORE: "The user lives in Singapore"})
        left = await facts(client)
        since = await dropped(agent)
    assert since == {"forgotten": 1}
    assert left == []
