"""Without any model the memory itself answers: with quotations and dates, and never with its own echo."""

import pytest

from chatmem import contract as c
from chatmem_relay.responders.offline import NOTHING
from chatmem_relay.responders.wording import best_sentences, wish
from tests.memory_fixtures import Memory
from tests.relay.relaying import relaying


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What do you know about me?", "about_me"),
        ("What are my current goals?", "goals"),
        ("Catch me up", "recap"),
        ("Hello!", "greeting"),
        ("Thanks!", "thanks"),
        ("I live in Oslo", "statement"),
        ("Where do I live?", "answer"),
        ("Wo wohne ich?", "answer"),
        ("我住在哪里吗", "answer"),
        ("Don't forget my offsite is on March 15", "statement"),
    ],
)
def test_what_a_message_wants_is_seen_by_its_words(text: str, wanted: str) -> None:
    assert wish(text) == wanted


def test_of_a_long_text_the_sentences_that_answer_are_quoted() -> None:
    text = "Good morning. You have two meetings. Rain is forecast until noon. The market fell."
    assert best_sentences(text, "What was the weather forecast?", 1) == "Rain is forecast until noon."


@pytest.mark.anyio
async def test_it_answers_from_what_was_said_with_its_date(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        await client.remember(c.RememberArgs(content="Run a marathon in May", kind="goal"))
        for text in (
            "My cat is called Miso",
            "What is my cat called?",
            "What is the capital of Peru?",
            "What are my goals?",
            "Hello",
        ):
            await api.say(text)
        shown = await api.replies(5)
    assert shown[0] == "Noted: “My cat is called Miso”"
    assert "Miso" in shown[1]
    assert "2026" in shown[1]
    assert "What is my cat called" not in shown[1]
    assert shown[2].startswith((NOTHING, "I have no direct answer"))
    assert shown[3] == "Your goals:\n• Run a marathon in May"
    assert shown[4].startswith("Hello")
