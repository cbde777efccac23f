"""People who write in bursts and change their minds while the bot is answering, and the messages that they then see.

The model completes its answer when the test opens a gate, so that everything else happens while the model is answering.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.reminders import SetReminderArgs
from tellonce_llm.model import Answer
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.telegram import chat_surface
from tellonce_relay.updates.open_turn import OpenTurn
from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import GROUP, Scripted, down, relaying, texts
from tests.stubs.telegram_emulator import Telegram, telegram
from tests.stubs.transcription_stub import TranscriptionStub

pytestmark = pytest.mark.anyio

BURST = {"breath_seconds": 10}


class Writing(Scripted):
    """A responder that begins its answer, and completes it when the gate is open. The first answers fail after their
    beginning, and `cuts` is the number of these answers."""

    def __init__(self, cuts: int = 0, *, open_: bool = False) -> None:
        super().__init__("")
        self.gate = asyncio.Event()
        self._cuts = cuts
        if open_:
            self.gate.set()

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        self.prompts.append(prompt)
        yield "" if prompt.begun else "Well, "
        if self._cuts:
            self._cuts -= 1
            raise down("busy")
        await self.gate.wait()
        yield f"re {incoming.text}"


@pytest.fixture
async def quick(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Telegram]:
    """A Telegram whose messages are dated one second apart. Drafts are shown without delay. The relay waits only
    briefly before it answers, but also adds messages to the turn that come much later."""
    monkeypatch.setattr(OpenTurn, "hold", lambda *_: 0.3)
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)
    async with telegram() as api:
        api.world.pace = 1
        yield api


async def asked(api: Telegram, responder: Writing, times: int = 1) -> None:
    """Wait until the model has got at least `times` requests and the beginning of an answer is shown."""
    await api.until(lambda: len(responder.prompts) >= times and api.world.drafts.get(42, "").startswith("Well"))


async def test_three_texts_a_second_thought_and_a_broken_stream_are_one_answer(memory: Memory, quick: Telegram) -> None:
    responder = Writing(cuts=1)
    async with relaying(memory, responder, api=quick, own=BURST) as api:
        await api.say("I'm going to Rome.")
        await asked(api, responder, 2)
        await api.say("In May.")
        await asked(api, responder, 3)
        await api.say("What should I see there?")
        await asked(api, responder, 4)
        responder.gate.set()
        assert await api.replies(1) == ["Well, re I'm going to Rome.\nIn May.\nWhat should I see there?"]
        await api.ask("Is it raining?", replies=2)
    assert texts(api)[1:] == ["Well, re Is it raining?"]


async def test_a_question_and_its_end_are_one_answer(memory: Memory, quick: Telegram) -> None:
    responder = Writing()
    async with relaying(memory, responder, api=quick, own=BURST) as api:
        await api.say("Is it raining?")
        await asked(api, responder)
        await api.say("never mind, I can see it", until=lambda: len(responder.prompts) == 2)
        responder.gate.set()
        assert await api.replies(1) == ["Well, re Is it raining?\nnever mind, I can see it"]


async def test_a_picture_nobody_can_see_is_named_also_if_its_question_comes_after_it(
    memory: Memory, quick: Telegram
) -> None:
    async with relaying(memory, Writing(open_=True), api=quick, own=BURST) as api:
        await api.photo()
        await api.until(lambda: bool(api.world.actions))
        await api.ask("What plant is that?", replies=2)
        await api.photo(caption="And that one?")
        await api.replies(3)
    assert texts(api)[:2] == [phrase("senses.cannot_see"), "Well, re [photo]\nWhat plant is that?"]
    assert "And that one?" in texts(api)[2]


@pytest.mark.parametrize("word", ["/stop", "stop", "Enough!"])
async def test_stop_ends_the_answer_in_any_words_and_the_next_question_is_answered(
    memory: Memory, quick: Telegram, word: str
) -> None:
    responder = Writing()
    async with relaying(memory, responder, api=quick, own=BURST) as api:
        await api.say("Tell me about whales?")
        await asked(api, responder)
        await api.ask(word, replies=2)
        await api.say("And dolphins?")
        responder.gate.set()
        await api.replies(3)
    assert texts(api) == ["Well,", phrase("turn.stopped"), "Well, re And dolphins?"]


async def test_stop_is_a_word_like_any_other_while_nothing_is_written(memory: Memory, quick: Telegram) -> None:
    async with relaying(memory, Writing(open_=True), api=quick) as api:
        assert await api.ask("stop", replies=1) == ["Well, re stop"]


async def test_a_new_conversation_ends_the_answer_of_the_old_one(memory: Memory, quick: Telegram) -> None:
    responder = Writing()
    async with relaying(memory, responder, api=quick, own=BURST) as api, memory.client() as client:
        await api.say("Compare tea and coffee?")
        await asked(api, responder)
        await api.ask("/new", replies=2)
        responder.gate.set()
        await api.ask("Who wrote Dune?", replies=3)
        window = (await client.get_context(c.GetContextArgs(include=("history",)))).context or ""
    assert texts(api) == ["Well,", phrase("summary.new_chat"), "Well, re Who wrote Dune?"]
    assert "Dune" in window
    assert "coffee" not in window


async def test_commands_are_answered_in_order_while_an_answer_is_written(memory: Memory, quick: Telegram) -> None:
    responder = Writing()
    async with relaying(memory, responder, api=quick, own=BURST) as api:
        await api.say("How far is the moon?")
        await asked(api, responder)
        await api.say("/remember I like green tea")
        await api.say("/forget tea")
        await api.ask("/memory", replies=3)
        responder.gate.set()
        await api.replies(4)
        await api.press(api.sent[1], "Forget")
        await api.press(api.sent[1], "Forget", until=lambda: len(api.world.toasts) == 2)
    remembered, forgotten, listed, answer = texts(api)
    assert remembered == "✓ Remembered: I like green tea"
    assert forgotten == "✓ Forgotten (1 memory)"
    assert "I like green tea" in listed
    assert answer == "Well, re How far is the moon?"


async def test_a_reminder_that_falls_due_comes_while_an_answer_is_written(
    memory: Memory, quick: Telegram, clock: Clock
) -> None:
    responder = Writing()
    async with relaying(memory, responder, api=quick, clock=clock) as api, memory.relay() as client:
        due = clock() + timedelta(minutes=5)
        await client.set_reminder(SetReminderArgs(chat_id=42, content="call mom", at=due))
        await api.say("How far is the moon?")
        await asked(api, responder)
        clock.forward(minutes=6)
        await api.say("/help", until=lambda: any(text.startswith("⏰ call mom") for text in texts(api)))
        responder.gate.set()
        await api.until(lambda: texts(api)[-1] == "Well, re How far is the moon?")
    assert sum(text.startswith("⏰ call mom") for text in texts(api)) == 1


async def test_a_voice_message_that_is_corrected_in_words_is_one_turn(memory: Memory, quick: Telegram) -> None:
    responder = Writing()
    async with TranscriptionStub(["Buy oat milk"]) as stub:
        own = {**BURST, "transcribe": {"url": stub.url}}
        async with relaying(memory, responder, api=quick, own=own) as api:
            await api.voice()
            await asked(api, responder)
            await api.say("I meant goat milk", until=lambda: len(responder.prompts) == 2)
            responder.gate.set()
            await api.replies(2)
    assert texts(api) == [phrase("senses.heard", text="Buy oat milk"), "Well, re Buy oat milk\nI meant goat milk"]


async def test_two_people_who_ask_at_once_are_answered_each(memory: Memory, quick: Telegram) -> None:
    responder = Writing(open_=True)
    async with relaying(memory, responder, api=quick, own=BURST) as api:
        first = await api.say("What is the plan?", chat=GROUP)
        second = await api.say("Who pays?", user=43, chat=GROUP)
        await api.replies(2)
    answered = {message["reply_to_message"]["message_id"]: message["text"] for message in api.sent}
    assert answered == {first: "Well, re What is the plan?", second: "Well, re Who pays?"}
