"""The messages that a person gets if the model fails briefly, stays unavailable or is stopped, and the answers that are
sent later."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_llm.errors import Cause
from tellonce_llm.model import Answer
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.responders.responder import CannotAnswer
from tellonce_relay.telegram import chat_surface
from tellonce_relay.turn.model_call import Persistence, joined, trouble, whole_words
from tests.memory_disk import fill, small_disk
from tests.memory_fixtures import Memory
from tests.patience import until
from tests.relay.outages import InterruptibleMemory
from tests.relay.running_relay import Echo, Failing, Scripted, down, relaying, texts
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio

BUSY = trouble("busy", owed=True)


async def said(memory: Memory) -> str:
    async with memory.client() as client:
        return (await client.get_context(c.GetContextArgs(token_budget=20_000))).context or ""


async def test_a_stream_that_breaks_off_is_continued_where_it_ended(memory: Memory) -> None:
    responder = Scripted(["Oats, milk and a lit", down()], [down("busy")], ["little salt. ", "Stir well."])
    async with relaying(memory, responder) as api:
        assert await api.ask("How do I make porridge?", replies=1) == ["Oats, milk and a little salt. Stir well."]
    assert [prompt.begun for prompt in responder.prompts] == ["", "Oats, milk and a ", "Oats, milk and a "]
    assert "Assistant: Oats, milk and a little salt. Stir well." in await said(memory)


@pytest.mark.parametrize("drafts", [True, False], ids=["drafts", "edits"])
async def test_an_answer_is_owed_until_the_model_is_back_and_what_was_shown_stays(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drafts: bool
) -> None:
    monkeypatch.setattr(chat_surface, "EDIT_SECONDS", 0.0)
    responder = Failing(always="busy", before="The beginning and ")
    async with telegram() as api:
        api.api.drafts = drafts
        async with relaying(memory, responder, api=api, state=tmp_path, killed=True):
            await api.say("Tell me a story", until=lambda: texts(api) == ["The beginning and", BUSY])
            await api.say("And a joke")
            asked = len(responder.prompts)
            await api.all_fetched()
        async with relaying(memory, responder, api=api, state=tmp_path):
            await until(lambda: len(responder.prompts) >= asked + 3, 20)
            assert texts(api) == ["The beginning and", BUSY], "nobody is told twice"
            responder.always = None
            await api.until(lambda: len(api.sent) == 4)
    assert texts(api) == ["The beginning and", BUSY, "the rest.", "re And a joke"]
    quoted = [message["reply_to_message"]["text"] for message in api.sent[2:]]
    assert quoted == ["Tell me a story", "And a joke"], "a late answer shows which question it answers"
    talk = await said(memory)
    assert talk.index("Assistant: The beginning and the rest.") < talk.index("Assistant: re And a joke")
    assert not list((tmp_path / "inbox").iterdir())


async def test_a_full_disk_of_the_relay_neither_loses_a_message_nor_an_answer(memory: Memory) -> None:
    gate = asyncio.Event()
    with small_disk("256k") as disk:
        ballast = disk / "ballast"
        async with relaying(memory, Echo(gate), state=disk / "state") as api:
            await api.say("Begun before", until=lambda: api.api.of("sendChatAction") != [])
            fill(ballast)
            await api.say("Said to a full disk")
            gate.set()
            assert {*await api.replies(2)} == {"re Begun before", phrase("turn.memory_away")}
            assert "Said to a full disk" not in await said(memory)
            ballast.unlink()
            assert (await api.replies(3))[-1] == "re Said to a full disk"
        assert not list((disk / "state" / "inbox").iterdir())
    assert (await said(memory)).count("User: Said to a full disk") == 1


@pytest.mark.parametrize("cause", ["key", "billing", "model"])
async def test_what_no_waiting_cures_is_named_at_once_and_stop_drops_the_question(memory: Memory, cause: Cause) -> None:
    responder = Failing(always=cause)
    async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
        assert await api.ask("First question", replies=1) == [trouble(cause, owed=True)]
        assert len(responder.prompts) == 1
        await api.say("/stop", until=lambda: texts(api)[1:] == [phrase("turn.dropped", question="First question")])
        await api.ask("/stop", replies=3)
        responder.always = None
        await api.ask("Second question", replies=4)
    assert texts(api)[2:] == [phrase("turn.nothing_to_stop"), "re Second question"]


async def test_why_is_answered_while_a_question_waits_for_the_model(memory: Memory) -> None:
    responder = Failing()
    async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
        await api.ask("First question", replies=1)
        responder.always = "busy"
        await api.ask("Second question", replies=2)
        await api.ask("/why", replies=3)
        await api.ask("/stop", replies=4)
    assert texts(api)[2].startswith("I answered: “re First question”")
    assert texts(api)[3] == phrase("turn.dropped", question="Second question")


async def test_after_a_stopped_question_the_next_one_that_fails_names_its_own_cause(memory: Memory) -> None:
    responder = Failing(always="billing")
    async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
        await api.ask("First question", replies=1)
        await api.ask("/stop", replies=2)
        responder.always = "key"
        await api.ask("Second question", replies=3)
    assert texts(api)[2] == trouble("key", owed=True)


async def test_of_several_questions_stop_drops_and_names_the_oldest(memory: Memory) -> None:
    responder = Failing(always="key")
    async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
        await api.ask("Who won the cup?", replies=1)
        second = await api.say("What is the time in Lima?", until=lambda: len(api.world.reactions) == 1)
        dropped = phrase("turn.dropped", question="Who won the cup?")
        await api.say("/stop", reply_to=second, until=lambda: dropped in texts(api))
        responder.always = None
        await api.say("And who lost it?", until=lambda: texts(api)[-1:] == ["re And who lost it?"])
    assert texts(api)[-2] == "re What is the time in Lima?"


async def test_a_refusal_is_final_and_owes_nothing(memory: Memory) -> None:
    async with relaying(memory, Scripted([down("refused")], "Better")) as api:
        await api.say("A question")
        assert await api.ask("Another question", replies=2) == [phrase("turn.would_not"), "Better"]


async def test_one_chats_trouble_is_no_other_chats_and_its_next_message_asks_again(memory: Memory) -> None:
    class Picky(Failing):
        async def answer(self, prompt, incoming, memory):
            if incoming.chat_id == 43:
                yield "fine"
                return
            async for piece in super().answer(prompt, incoming, memory):
                yield piece

    responder = Picky(always="away")
    async with relaying(memory, responder, owed_pauses=(60, 60)) as api:
        await api.say("Hello", until=lambda: texts(api) == [trouble("away", owed=True)])
        await api.ask("Hello", user=43, replies=2)
        responder.always = None
        await api.ask("Still there?", replies=4)
    assert texts(api)[1:] == ["fine", "re Hello", "re Still there?"]
    assert ["reply_to_message" in message for message in api.sent] == [False, False, True, True]


async def test_messages_of_one_breath_are_one_turn(memory: Memory) -> None:
    long = "word " * 819 + "w"
    assert len(long) == 4096
    responder = Echo()
    async with relaying(memory, responder, own={"breath_seconds": 0.5}) as api:
        await api.burst("I have a cat.", "Her name is Miso.", "What does she eat?")
        await api.ask("Something else", replies=2)
        await api.burst(long, "ord, and that is all")
        await api.replies(4)
    assert texts(api)[:2] == ["re I have a cat.\nHer name is Miso.\nWhat does she eat?", "re Something else"]
    assert " ".join(texts(api)[2:]).replace(" ", "") == f"re{long}ord,andthatisall".replace(" ", "")
    talk = await said(memory)
    assert talk.count("User: ") == 6
    assert talk.count("Assistant: ") == 3


async def test_a_single_question_is_answered_at_once_and_what_was_fetched_with_a_message_waits_for_no_clock(
    memory: Memory,
) -> None:
    asked = asyncio.Event()

    class Slow(InterruptibleMemory):
        async def record_message(self, args: c.RecordMessageArgs) -> object:
            if args.content == "Two":
                await asked.wait()
                await asyncio.sleep(0.1)  # longer than the relay waits for a further message
            return await super().__getattr__("record_message")(args)

    class Noting(Echo):
        async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
            asked.set()
            async for piece in super().answer(prompt, incoming, memory):
                yield piece

    async with memory.relay() as real:
        async with relaying(memory, Noting(), client=Slow(real).client, own={"breath_seconds": 0.01}) as api:
            await api.burst("One", "Two")
            assert await api.replies(1) == ["re One\nTwo"]
        async with relaying(memory, Echo(), own={"breath_seconds": 10}) as api:
            began = time.monotonic()
            assert await api.ask("What does she eat?", user=43, replies=1) == ["re What does she eat?"]
            assert time.monotonic() - began < 10


async def test_a_burst_that_is_cut_by_a_kill_is_answered_once(memory: Memory, tmp_path: Path) -> None:
    breath = {"breath_seconds": 0.5}
    async with telegram() as api:
        async with relaying(memory, Echo(asyncio.Event()), api=api, state=tmp_path, own=breath, killed=True):
            await api.burst("One", "Two")
            await api.all_fetched()
        async with relaying(memory, Echo(), api=api, state=tmp_path, own=breath):
            assert await api.ask("Three", replies=2) == ["re One\nTwo", "re Three"]
    assert not list((tmp_path / "inbox").iterdir())


def test_a_failure_is_waited_out_as_the_provider_wishes_and_not_for_long() -> None:
    patient = Persistence(jitter=lambda: 1.0)
    assert [patient.pause(CannotAnswer("", "away"), tried, 0) for tried in range(6)] == [1, 2, 4, 8, 15, 15]
    assert patient.pause(CannotAnswer("", "busy", 20), 0, 0) == 20
    assert patient.pause(CannotAnswer("", "busy", 60), 0, 0) is None
    assert patient.pause(CannotAnswer("", "busy"), 0, 44.5) is None
    assert patient.briefly.pause(CannotAnswer("", "away"), 2, 3.0) is None


def test_two_parts_of_an_answer_join_without_a_seam() -> None:
    assert whole_words("Oats and mil") == "Oats and "
    assert whole_words("Fine. [REMEMBER: half") == "Fine. "
    assert whole_words("牛奶和燕麦") == "牛奶和燕麦"
    assert joined("", " Oats") == " Oats"
    assert joined("Oats and ", " milk") == "Oats and milk"
    assert joined("Oats, milk and sugar ", "milk and sugar and salt") == "Oats, milk and sugar and salt"
