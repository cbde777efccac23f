"""Without a model, answers are dated quotations of the user and never quote earlier answers."""

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import phrase
from tests.memory_fixtures import Memory
from tests.relay.relaying import relaying


@pytest.mark.anyio
async def test_it_answers_from_what_was_said_with_its_day(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        await client.remember(c.RememberArgs(content="Run a marathon in May", kind="goal"))
        told = ("My cat is called Miso", "What is my cat called?", "What are my goals?", "Hello")
        for count, text in enumerate((*told, "Forget that my cat is called Miso"), 1):
            await api.say(text)
            shown = await api.replies(count)
    assert shown[0] == phrase("offline.kept")
    assert shown[1].startswith("You told me on ")
    assert shown[1].endswith("“My cat is called Miso”")
    assert shown[2].startswith("• Run a marathon in May (")
    assert shown[3] == phrase("offline.hello")
    assert shown[4].startswith("Forget “my cat is called Miso”? ")


@pytest.mark.anyio
async def test_asking_again_and_again_never_makes_the_answer_worse(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("My cat is called Miso")
        for _ in range(12):
            await api.say("What is my cat called?")
        shown = await api.replies(13)
    assert set(shown[1:]) == {shown[1]}
    assert shown[1].endswith("“My cat is called Miso”")
