"""Without a model, answers are dated quotations of the user and never quote earlier answers."""

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import phrase
from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import relaying


@pytest.mark.anyio
async def test_it_answers_from_what_was_said_with_its_day(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        await client.remember(c.RememberArgs(content="Run a marathon in May", kind="goal"))
        told = (
            "My cat is called Miso",
            "What is my cat called?",
            "What are my goals?",
            "Hello",
            "How much does cat food cost?",
        )
        for count, text in enumerate((*told, "Forget that my cat is called Miso"), 1):
            shown = await api.ask(text, replies=count)
    assert shown[0] == phrase("offline.kept")
    assert shown[1].startswith("You told me on ")
    assert shown[1].endswith("“My cat is called Miso”")
    assert shown[2].startswith("• Run a marathon in May (")
    assert shown[3] == phrase("offline.hello")
    assert shown[4].startswith(phrase("offline.nearest"))
    assert "“My cat is called Miso”" in shown[4]
    assert shown[5].startswith("Forget “my cat is called Miso”? ")


@pytest.mark.anyio
async def test_a_goal_that_was_only_said_is_found_although_no_goal_is_noted(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("My goals: run a marathon")
        shown = await api.ask("What are my goals?", replies=2)
    assert shown[1].endswith("“My goals: run a marathon”")


@pytest.mark.anyio
async def test_a_burst_is_quoted_as_one_and_messages_without_words_are_no_evidence(memory: Memory) -> None:
    async with relaying(memory, own={"breath_seconds": 1.5}) as api:
        await api.burst("I have a dentist appointment", "on March 3")
        await api.replies(1)
        await api.say("👍", until=lambda: len(api.world.reactions) == 1)
        await api.say("When is my dentist appointment?")
        shown = await api.ask("?", replies=3)
    assert ": “I have a dentist appointment … on March 3”" in shown[1]
    assert shown[2] == phrase("offline.nothing")


@pytest.mark.anyio
async def test_asking_again_and_again_never_makes_the_answer_worse(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("My cat is called Miso")
        for _ in range(12):
            await api.say("What is my cat called?")
        shown = await api.replies(13)
    assert set(shown[1:]) == {shown[1]}
    assert shown[1].endswith("“My cat is called Miso”")


@pytest.mark.anyio
async def test_a_corrected_memory_outranks_the_sentence_it_came_from_and_an_unnamed_person_is_the_nearest(
    memory: Memory, clock: Clock
) -> None:
    told = "My dentist appointment is on December 3rd at 10am. The dentist is called Ruth."
    async with relaying(memory) as api, memory.client() as client:
        for count, text in enumerate((told, "I live in Berlin"), 1):
            await api.ask(text, replies=count)
        found = await client.search_memory(c.SearchMemoryArgs(query="dentist appointment", where="all"))
        (message,) = [r for r in found.results if r.role == "user" and "dentist" in r.text]
        sentence = told.partition(". ")[0]
        statement = {"content": sentence, "quote": sentence, "source_message_id": str(message.id)}
        args = {"statements": [statement], "chat_id": message.chat_id}
        number = (await client.remember(c.RememberArgs.model_validate(args))).results[0].memory.id
        clock.forward(hours=1)
        new = "My dentist appointment is on December 10th at 4pm"
        await client.update_memory(c.UpdateMemoryArgs(memory_id=number, action="edit", content=new))
        why = await client.explain(c.ExplainArgs(memory_id=number, chat_id=message.chat_id))
        assert (why.model, why.text, len(why.versions)) == (None, new, 1)
        for count, text in enumerate(("When is my dentist appointment?", "Where does Ann live?"), 3):
            shown = await api.ask(text, replies=count)
    assert shown[2].startswith(f"I remember: {new}")
    assert "The dentist is called Ruth." in shown[2]
    assert "December 3rd" not in shown[2]
    assert shown[3].startswith(phrase("offline.nearest"))
    assert "I live in Berlin" in shown[3]
