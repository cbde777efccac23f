"""A conversation is read again when a better model is available, or after an edit. Statements that have ended in the
meantime do not become current again."""

from collections.abc import Mapping

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.client import MemoryClient
from tests.hand_worker import Reader, facts, item, profile, read, say
from tests.memory_fixtures import Clock, Memory, forget

pytestmark = pytest.mark.anyio

GOAL = "I need to launch the SingPass API integration"
SINGAPORE, LISBON = "I live in Singapore", "I live in Lisbon"


async def dropped(agent: MemoryClient) -> dict[str, int]:
    return (await agent.queue_status()).reading.dropped


def reads(readings: Mapping[str, str], **fields: object) -> Reader:
    """A reader that reads items from messages: `readings` maps the text of a message to the text of its item."""

    def items(work: w.ExchangeInput) -> list[w.ExchangeItem]:
        return [
            item(
                work,
                readings[said.text],
                quotes=(w.Quote(message_id=said.id, text=said.text),),
                certain="might" not in said.text,
                replaces=[m.id for m in work.known if said.text == LISBON and m.text == SINGAPORE],
                **fields,
            )
            for said in work.messages
            if said.text in readings
        ]

    return items


async def test_a_goal_that_is_done_is_not_open_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, GOAL)
        await read(agent, reads({GOAL: GOAL}, kind="goal"), "ollama")
        (goal,) = (await profile(client)).goals
        await client.update_memory(c.UpdateMemoryArgs(memory_id=goal.id, action="complete"))
        await read(agent, reads({GOAL: "The user needs to launch the SingPass integration"}, kind="goal"))
        since = await dropped(agent)
        left = (await profile(client)).goals
        await say(client, clock, GOAL)
        await read(agent, reads({GOAL: GOAL}, kind="goal"))
        said_again = (await profile(client)).goals
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
        await read(agent, reads({said: said}), "ollama")
        (fact,) = (await profile(client)).facts
        await client.update_memory(c.UpdateMemoryArgs(memory_id=fact.id, action="edit", content=right))
        await read(agent, reads({said: read_again}))
        assert await facts(client) == [right]


@pytest.mark.parametrize("pinned", [True, False])
async def test_what_the_user_pinned_outlives_a_better_reading(memory: Memory, clock: Clock, pinned: bool) -> None:
    said = "My locker is the one by the lift"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, reads({said: said}), "ollama")
        (fact,) = (await profile(client)).facts
        if pinned:
            await client.update_memory(c.UpdateMemoryArgs(memory_id=fact.id, action="pin"))
        await read(agent, reads({}))
        assert await facts(client) == [said] * pinned


async def test_what_the_user_said_no_to_is_not_asked_again_in_other_words(memory: Memory, clock: Clock) -> None:
    said = "I might move to Berlin next year"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, said)
        await read(agent, reads({said: said}, kind="goal"), "ollama")
        (doubt,) = (await profile(client)).uncertain
        await client.update_memory(c.UpdateMemoryArgs(memory_id=doubt.id, action="reject"))
        await read(agent, reads({said: "The user might move to Berlin"}, kind="goal"))
        known = await profile(client)
        since = await dropped(agent)
    assert since == {"rejected before": 1}
    assert known.uncertain == ()


async def test_what_the_user_said_no_to_is_learned_when_they_say_it_later_and_it_is_certain(
    memory: Memory, clock: Clock
) -> None:
    joke, doubted, fact = "I am a vegetarian today, ha ha", "I might be a vegetarian", "Since May I am a vegetarian"
    vegetarian = "The user is a vegetarian"
    found: list[list[str]] = []
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, joke)
        await read(agent, reads({joke: vegetarian}), "ollama")
        (wrong,) = (await profile(client)).facts
        await client.update_memory(c.UpdateMemoryArgs(memory_id=wrong.id, action="reject"))
        for said, tier in ((joke, "claude"), (doubted, "claude"), (fact, "claude")):
            if said != joke:
                await say(client, clock, said)
            await read(agent, reads({said: vegetarian}), tier)
            known = await profile(client)
            found.append([m.status for m in (*known.facts, *known.uncertain)])
    assert found == [[], [], ["active"]]


async def test_what_an_edit_took_back_is_learned_when_it_is_said_again(memory: Memory, clock: Clock) -> None:
    march = "My offsite is on March 15"
    async with memory.client() as client, memory.agent() as agent:
        await say(client, clock, march, "7")
        await read(agent, reads({march: march}, kind="date"))
        await say(client, clock, "My offsite is on March 22", "7")
        await read(agent, reads({}, kind="date"))
        again = f"Back to the old plan: {march}"
        await say(client, clock, again)
        await read(agent, reads({again: march}, kind="date"))
        known = await profile(client)
    assert [date.content for date in known.dates] == [march]


async def test_what_an_edited_message_had_replaced_holds_again(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for text, number in ((SINGAPORE, None), (LISBON, "7")):
            await say(client, clock, text, number)
            await read(agent, reads({text: text}))
        before = await facts(client)
        await say(client, clock, "I visited Porto", "7")
        after = await facts(client)
    assert (before, after) == ([LISBON], [SINGAPORE])


async def test_what_a_forgotten_memory_had_replaced_is_not_learned_as_new(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for text in (SINGAPORE, LISBON):
            await say(client, clock, text)
            await read(agent, reads({text: text}), "ollama")
        await forget(client, topic="Lisbon")
        await read(agent, reads({SINGAPORE: "The user lives in Singapore"}))
        left = await facts(client)
        since = await dropped(agent)
    assert since == {"forgotten": 1}
    assert left == []
