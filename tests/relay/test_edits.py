"""Edits of messages before, during and after the answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.reminders import ListRemindersArgs
from tellonce_llm.model import Answer
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.turn.model_call import trouble
from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import Echo, Scripted, down, relaying, texts
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio


async def test_an_edited_message_changes_the_memory_of_it_and_is_not_answered_again(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        number = await api.say("The offsite is on March 15")
        await api.replies(1)
        await api.edit(number, "The offsite is on March 22")
        await api.ask("/help", replies=2)
        why = await client.explain(c.ExplainArgs(message_id=str(number)))
    assert why.text == "The offsite is on March 22"
    assert [version.text for version in why.versions] == ["The offsite is on March 15"]


@pytest.mark.parametrize("model", [None, Scripted("Sure. [REMIND: check in | AT: 2026-02-17 09:00]")])
async def test_an_edited_request_or_command_is_not_carried_out_again_and_the_bot_says_so(
    memory: Memory, clock: Clock, model: Scripted | None
) -> None:
    first = 2 if model else 1
    async with relaying(memory, model, clock=clock) as api, memory.relay() as client:
        number = await api.say("remind me tomorrow at 9 to check in")
        await api.replies(first)
        await api.edit(number, "remind me tomorrow at 10 to check in")
        await api.replies(first + 1)
        command = await api.say("/help")
        await api.replies(first + 2)
        await api.edit(command, "/status")
        shown = await api.replies(first + 3)
        due = (await client.list_reminders(ListRemindersArgs(chat_id=42))).reminders
    assert shown[first] == shown[first + 2] == phrase("help.edited_command")
    assert [one.memory.content for one in due] == ["check in (2026-02-17 09:00)"]


@pytest.mark.parametrize("edited", ["Don't let me miss the check-in tomorrow at 10", "The flight is at noon"])
async def test_the_bot_says_that_a_reminder_which_a_model_set_from_other_words_stays_after_an_edit(
    memory: Memory, clock: Clock, edited: str
) -> None:
    model = Scripted("Sure. [REMIND: check in | AT: 2026-02-17 09:00]")
    async with relaying(memory, model, clock=clock) as api:
        number = await api.say("Don't let me miss the check-in tomorrow at 9")
        await api.replies(2)
        await api.edit(number, edited)
        shown = await api.replies(3)
    assert shown[2] == phrase("help.edited_command")
    assert "/reminders" in shown[2]


async def test_an_edited_request_whose_answer_is_still_owed_is_carried_out_and_not_refused(memory: Memory) -> None:
    model = Recovering()
    async with relaying(memory, model) as api:
        number = await api.say("Please could you remind me of the station wagon?")
        await model.asked.wait()
        await api.edit(number, "remind me of the station")
        await api.all_fetched()
        model.gate.set()
        await api.until(lambda: texts(api)[-1].startswith("re "))
    assert texts(api) == [trouble("key", owed=True), "re remind me of the station"]


async def test_a_message_edited_before_its_turn_is_answered_as_it_reads_then(memory: Memory) -> None:
    gate = asyncio.Event()
    async with relaying(memory, Echo(gate)) as api:
        await api.say("First of all")
        number = await api.say("Where is the station wagon?")
        await api.edit(number, "Where is the station?")
        await api.all_fetched()
        gate.set()
        await api.replies(2)
    assert texts(api) == ["re First of all", "re Where is the station?"]


async def test_a_message_edited_while_it_is_answered_is_answered_as_it_reads_then(memory: Memory) -> None:
    gate = asyncio.Event()
    async with relaying(memory, Echo(gate)) as api:
        number = await api.say("Where is the station wagon?", until=lambda: bool(api.world.actions))
        await api.edit(number, "Where is the station?")
        await api.all_fetched()
        gate.set()
        await api.replies(1)
        await api.edit(number, "Where are the stations?")
        await api.ask("Thanks", replies=2)
    assert texts(api) == ["re Where is the station?", "re Thanks"]


class Recovering(Scripted):
    """A model whose first call gives `begun` and then fails because the key is rejected. The second call waits for
    `gate` and then repeats the message."""

    def __init__(self, begun: str = "") -> None:
        super().__init__("")
        self.begun = begun
        self.gate = asyncio.Event()
        self.asked = asyncio.Event()

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        self.prompts.append(prompt)
        if len(self.prompts) == 1:
            yield self.begun
            raise down("key")
        self.asked.set()
        await self.gate.wait()
        yield f"re {incoming.text}"


@pytest.mark.parametrize("begun", ["", "The wagon is "])
async def test_a_late_answer_is_about_the_question_as_it_was_edited_last(memory: Memory, begun: str) -> None:
    model = Recovering(begun)
    async with relaying(memory, model) as api:
        number = await api.say("Where is the station wagon?")
        await model.asked.wait()  # the relay asks the model again for the missing answer
        await api.edit(number, "Where is the station?")
        await api.say("Never mind")
        await api.all_fetched()
        model.gate.set()
        await api.until(lambda: texts(api)[-1] == "re Never mind")
    told = [begun.strip(), trouble("key", owed=True)] if begun else [trouble("key", owed=True)]
    assert texts(api) == [*told, "re Where is the station?", "re Never mind"]
    assert [prompt.begun for prompt in model.prompts] == ["", begun, "", ""]


async def test_the_next_process_gives_a_late_answer_to_the_question_as_it_was_edited(
    memory: Memory, tmp_path: Path
) -> None:
    model = Recovering("The wagon is ")
    async with telegram() as api:
        async with relaying(memory, model, state=tmp_path, api=api, killed=True):
            number = await api.say("Where is the station wagon?")
            await model.asked.wait()
            await api.edit(number, "Where is the station?")
            await api.all_fetched()
        later = Echo()
        async with relaying(memory, later, state=tmp_path, api=api):
            await api.until(lambda: len(api.sent) == 3)
    assert [prompt.begun for prompt in later.prompts] == [""]
    assert texts(api) == ["The wagon is", trouble("key", owed=True), "re Where is the station?"]


async def test_the_next_process_answers_a_waiting_message_as_it_was_edited(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api:
        async with relaying(memory, Echo(asyncio.Event()), state=tmp_path, api=api, killed=True):
            await api.say("First of all")
            number = await api.say("Where is the station wagon?")
            await api.edit(number, "Where is the station?")
            await api.all_fetched()
        async with relaying(memory, Echo(), state=tmp_path, api=api):
            await api.replies(2)
    assert texts(api) == ["re First of all", "re Where is the station?"]
    assert not list((tmp_path / "inbox").iterdir())


async def test_edits_that_come_again_after_a_kill_change_nothing(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api:
        async with relaying(memory, state=tmp_path, api=api):
            number = await api.say("The offsite is on March 15")
            await api.replies(1)
            edits = []
            for day in (22, 29):
                await api.edit(number, f"The offsite is on March {day}")
                edits.append(api.world.updates[-1])
            await api.until(lambda: len(api.world.reactions) == 2)
        api.world.updates[:0] = edits
        async with relaying(memory, state=tmp_path, api=api), memory.client() as client:
            await api.ask("/help", replies=2)
            why = await client.explain(c.ExplainArgs(message_id=str(number)))
    assert why.text == "The offsite is on March 29"
    assert [version.text[-2:] for version in why.versions] == ["15", "22"]
    assert len(api.world.reactions) == 2


async def test_an_edited_caption_is_an_edit_of_the_message_and_keeps_what_the_picture_shows(memory: Memory) -> None:
    gate = asyncio.Event()
    responder = Scripted([gate, "Nice."], "Nice. [SEEN: a brown dog on a beach]", "Nice.")
    responder.kinds = frozenset(("image",))
    async with relaying(memory, responder) as api, memory.client() as client:
        number = await api.photo(caption="Our cat")
        await api.until(lambda: bool(api.world.actions))
        # The caption is edited while the model processes the picture, and again after the answer.
        await api.edit(number, "Our dog")
        await api.all_fetched()
        gate.set()
        await api.replies(1)
        await api.edit(number, "Our dog Rex in Brighton", until=lambda: len(api.world.reactions) == 2)
        await api.ask("The dog is four", replies=2)
        why = await client.explain(c.ExplainArgs(message_id=str(number)))
        found = (await client.search_memory(c.SearchMemoryArgs(query="Rex"))).results
    assert why.text == "[photo] Our dog Rex in Brighton\n> a brown dog on a beach"
    assert any("Rex in Brighton" in result.text for result in found)
    assert texts(api) == ["Nice.", "Nice."]
