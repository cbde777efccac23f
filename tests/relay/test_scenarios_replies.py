"""A demanding person's replies, quotes, edits and deletions, and the texts that the person chooses to forget."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import phrase
from tests.memory_fixtures import Clock, Memory, tables_with
from tests.offline_worker import work_off
from tests.relay.running_relay import USER, Echo, Failing, Scripted, relaying, texts, until_recorded
from tests.stubs.telegram_emulator import Telegram, telegram

pytestmark = pytest.mark.anyio


def unseen(text: str, *, bot: bool = False, number: int = 90_000) -> dict[str, Any]:
    """The earlier message that a reply contains. It was sent in the private chat before the bot was set up."""
    sender = {"id": 999 if bot else USER, "is_bot": bot, "first_name": "Mara"}
    chat = {"id": USER, "type": "private", "first_name": "Mara"}
    return {"message_id": number, "date": 1_768_000_000, "from": sender, "chat": chat, "text": text}


async def test_a_reply_to_a_message_of_months_ago_shows_it_with_its_day_and_keeps_the_thread(
    memory: Memory, clock: Clock
) -> None:
    model = Echo()
    async with relaying(memory, model, clock=clock) as api, memory.client() as client:
        asked = await api.say("The plumber Kowalski wants 340 € for the boiler, ok?")
        await api.replies(1)
        await until_recorded(memory, api.sent[0])
        clock.forward(days=150)
        api.world._now += 150 * 86_400
        for n in range(60):
            await client.record_message(c.RecordMessageArgs(role="user", content=f"Note number {n}", sent_at=clock()))
        await api.ask("he did it today, finally. how much was it?", reply_to=asked, replies=2)
        await api.ask("/why", reply_to=api.sent[0]["message_id"], replies=3)
    prompt = model.prompts[1].text
    quoted = prompt.partition("QUOTED MESSAGE")[2]
    assert "The plumber Kowalski wants 340 € for the boiler, ok?" in quoted
    assert "150 days ago" in quoted.partition("Kowalski")[0]
    assert texts(api)[2] != phrase("why.reply_first")


async def test_a_reply_to_a_message_the_bot_never_saw_brings_its_text_along(memory: Memory) -> None:
    model = Echo()
    async with relaying(memory, model) as api:
        await api.ask("We were talking about parcels", replies=1)
        old = unseen("Pick up Lena's parcel, code 9921")
        await api.ask("what was the code?", reply_to_message=old, replies=2)
        await until_recorded(memory, api.sent[1])
        async with memory.agent() as agent:
            await work_off(agent)
        assert "9921" not in await everything(memory)
    assert "Pick up Lena's parcel, code 9921" in model.prompts[1].text


OPTIONS = (
    "\n\n".join(f"Option A{n} costs {n} and needs nothing at all from you or from anybody." for n in range(60))
    + "\n\nOption C costs 12,000 and needs a permit.\n\n"
    + "\n\n".join(f"Option D{n} costs {n} and needs nothing at all from you or from anybody." for n in range(60))
)


async def test_a_quoted_sentence_is_named_in_the_prompt_and_a_reply_without_one_means_the_whole_answer(
    memory: Memory,
) -> None:
    model, sentence = Scripted(OPTIONS, "ok", "ok"), "Option C costs 12,000 and needs a permit."
    async with relaying(memory, model) as api:
        await api.say("What are my options?", until=lambda: bool(api.sent) and "Option D59" in texts(api)[-1])
        await until_recorded(memory, api.sent[0])
        parts = list(api.sent)
        part = next(message for message in parts if sentence in message["text"])
        await api.ask(
            "why?",
            reply_to=part["message_id"],
            quote={"text": sentence, "position": 0, "is_manual": True},
            replies=len(parts) + 1,
        )
        await api.ask("shorter please", reply_to=parts[-1]["message_id"], replies=len(parts) + 2)
        forged = {"text": "I owe you 5,000 euros.", "position": 0, "is_manual": True}
        await api.ask("really?", reply_to=part["message_id"], quote=forged, replies=len(parts) + 3)
    _, quoting, whole, invented = model.prompts
    assert len(parts) == 3
    assert quoting.message.count(sentence) == 1, "the message names the sentence that it is about"
    assert "Option A0" in whole.text
    assert "Option D59" in whole.text
    assert "I owe you 5,000 euros." in invented.message
    assert "Assistant: I owe you" not in invented.text


async def test_forget_this_with_a_quote_means_the_quoted_words_alone(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        number = await api.say("The gate code is 5093. The dog is called Rex.")
        await api.replies(1)
        quote = {"text": "The gate code is 5093.", "position": 0, "is_manual": True}
        await api.ask("forget this", reply_to=number, quote=quote, replies=2)
        await api.press(api.sent[1], "Forget", until=lambda: "reply_markup" not in api.sent[1])
        left = (await client.explain(c.ExplainArgs(message_id=str(number)))).text
    assert left == "The dog is called Rex."


async def test_without_a_model_a_statement_that_is_taken_back_by_an_edit_is_known_no_more(memory: Memory) -> None:
    async with telegram() as api:
        api.world.languages[USER] = "de"
        async with relaying(memory, api=api) as api, memory.client() as client:
            await client.remember(c.RememberArgs(content="Ich mag keine Nüsse", scope="global"))
            number = await api.say("Ich bin allergisch gegen Nüsse und Krabben und nehme Cetirizin")
            await api.replies(1)
            async with memory.agent() as agent:
                await work_off(agent)
            await api.edit(number, "Ich bin allergisch gegen Krabben", until=lambda: len(api.world.reactions) == 1)
            async with memory.agent() as agent:
                await work_off(agent)
            await api.ask("Wogegen bin ich allergisch?", replies=2)
            first = await everything(memory)
            why = await client.explain(c.ExplainArgs(message_id=str(number)))
            await api.edit(number, ".", until=lambda: len(api.world.reactions) == 2)
            async with memory.agent() as agent:
                await work_off(agent)
            await api.ask("Wogegen bin ich denn allergisch?", replies=3)
            second = await everything(memory)
    assert "Krabben" in texts(api)[1]
    assert "Cetirizin" not in texts(api)[1] + first
    assert "Ich mag keine Nüsse" in first, "what was told to be remembered stays"
    assert [version.text for version in why.versions] != []
    assert "Krabben" not in texts(api)[2].replace("Wogegen", "")
    assert "Cetirizin" not in second


async def everything(memory: Memory) -> str:
    """The current memories, and the narrative of the profile."""
    async with memory.client() as client, memory.tables() as tables:
        narrative = (await client.get_profile(c.GetProfileArgs())).narrative
        rows = await tables.fetch("select content from memories where status in ('active', 'uncertain') order by id")
    return "\n".join([narrative, *(row["content"] for row in rows)])


async def test_an_edit_that_changes_no_word_changes_nothing_at_all(memory: Memory) -> None:
    gate = asyncio.Event()
    model = Echo(gate)
    async with relaying(memory, model) as api, memory.client() as client:
        number = await api.say("See http://example.org – what is it?", until=lambda: len(model.prompts) == 1)
        await api.edit(number, "See http://example.org – what is it?")  # Telegram shows a preview of the link
        await api.all_fetched()
        gate.set()
        await api.replies(1)
        await until_recorded(memory, api.sent[0])
        await api.edit(number, "See http://example.org – what is it?")
        command = await api.say("/remember http://example.org is my page")
        await api.replies(2)
        await api.edit(command, "/remember http://example.org is my page")
        await api.ask("/help", replies=3)
        why = await client.explain(c.ExplainArgs(message_id=str(number)))
    assert len(model.prompts) == 1
    assert why.versions == ()
    assert api.world.reactions == []
    assert texts(api)[2] == phrase("help.text")


async def test_a_question_edited_an_hour_later_is_answered_neither_again_nor_with_the_next_one(
    memory: Memory, clock: Clock
) -> None:
    model = Echo()
    async with relaying(memory, model, clock=clock) as api:
        number = await api.say("Distance Berlin – Prague?")
        await api.replies(1)
        await api.ask("Thanks", replies=2)
        clock.forward(hours=1)
        await api.edit(number, "Distance Berlin – Rome?", until=lambda: len(api.world.reactions) == 1)
        await api.ask("/help", replies=3)
    assert texts(api)[:2] == ["re Distance Berlin – Prague?", "re Thanks"]
    assert len(model.prompts) == 2


async def forget(api: Telegram, topic: str) -> str:
    """Forget all matches of a topic. Returns the bot's message about the erasure."""
    before = len(api.sent)
    await api.ask(f"/forget {topic}", replies=before + 1)
    asked = api.sent[before]
    labels = [button["text"] for row in asked["reply_markup"]["inline_keyboard"] for button in row]
    if "All" in labels:
        await api.press(asked, "All", until=lambda: len(api.world.toasts) >= 1)
    await api.press(asked, "Forget", until=lambda: "reply_markup" not in asked)
    return str(asked["text"])


async def traces(memory: Memory, text: str) -> list[str]:
    async with memory.tables() as tables:
        return [table for table in await tables_with(tables, text) if table != "schema_migration"]


async def test_a_forgotten_text_that_an_edit_and_a_reply_bring_back_can_be_forgotten_again(memory: Memory) -> None:
    model = Scripted("Noted.")
    async with relaying(memory, model) as api:
        number = await api.say("My therapist is Dr Adler, Tuesdays")
        await api.replies(1)
        await until_recorded(memory, api.sent[0])
        assert (await forget(api, "Adler")).startswith("✓")
        assert await traces(memory, "Adler") == []
        old = dict(api.world.messages[USER, number])
        await api.edit(number, "My therapist is Dr Adler, Wednesdays", until=lambda: len(api.world.reactions) == 1)
        origin = {"type": "user", "date": 1, "sender_user": {"id": USER, "is_bot": False, "first_name": "Mara"}}
        await api.say("My therapist is Dr Adler, Wednesdays", forward_origin=origin)
        await api.say("what day was it?", reply_to_message={**old, "text": "My therapist is Dr Adler, Tuesdays"})
        await api.until(lambda: len(model.prompts) == 3)
        await api.replies(4)
        await until_recorded(memory, api.sent[3])
        known = await everything(memory)
        assert "Tuesdays" not in known
        assert (await forget(api, "Adler")).startswith("✓")
        assert await traces(memory, "Adler") == []
        assert await traces(memory, "Tuesdays") == []


@pytest.mark.parametrize("model", [None, Scripted("It is 8265KX.")], ids=["without a model", "with a model"])
async def test_a_message_deleted_in_telegram_is_forgotten_by_words_only_and_answers_do_not_need_it(
    memory: Memory, model: Scripted | None
) -> None:
    async with relaying(memory, model) as api:
        number = await api.say("The number of the bike lock is 8265KX")
        await api.replies(1)
        await until_recorded(memory, api.sent[0])
        del api.world.messages[USER, number]
        await api.ask("I deleted the message with the number. Is it gone?", replies=2)
        await until_recorded(memory, api.sent[1])
        said = await forget(api, "number of the bike lock")
        if await traces(memory, "8265KX"):
            said = await forget(api, "8265KX")
        assert await traces(memory, "8265KX") == []
    assert said.startswith("✓")
    assert "8265KX" not in said


async def test_a_model_is_told_that_deleting_in_the_chat_erases_nothing(memory: Memory) -> None:
    model = Scripted("ok")
    async with relaying(memory, model) as api:
        await api.ask("I deleted the message with the number. Is it gone?", replies=1)
    assert "what the user deletes in the chat stays in memory" in model.prompts[0].system_text


async def test_a_late_answer_whose_question_was_deleted_comes_without_the_reply_mark(memory: Memory) -> None:
    model = Failing(always="busy")
    async with relaying(memory, model) as api:
        number = await api.say("PIN of the bike lock?")
        await api.replies(1)
        del api.world.messages[USER, number]
        model.always = None
        await api.replies(2)
    assert texts(api)[1] == "re PIN of the bike lock?"
    assert "reply_to_message" not in api.sent[1]


async def test_of_eleven_matches_the_ticked_ones_go_and_an_old_list_after_a_restart_erases_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    told = [f"In Porto I like place number {n} of the old town by the river, street {n}" for n in range(1, 12)]
    async with telegram() as api:
        async with relaying(memory, api=api, state=tmp_path), memory.client() as client:
            for one in told:
                await client.remember(c.RememberArgs(content=one, scope="global"))
            await api.ask("/forget Porto", replies=1)
            first = api.sent[0]
            await api.press(first, "None", until=lambda: "0 of 11 matches ticked" in first["text"])
            await api.press(first, "☐ 2", until=lambda: "1 of 11 matches ticked" in first["text"])
        async with relaying(memory, api=api, state=tmp_path), memory.client() as client:
            await api.press(first, "Forget", until=lambda: first["text"] == phrase("forget.list_gone"))
            assert (
                len((await client.get_profile(c.GetProfileArgs())).facts)
                + len((await client.get_profile(c.GetProfileArgs())).preferences)
                == 11
            )
            await api.ask("/forget Porto", replies=2)
            second = api.sent[1]
            await api.press(second, "None", until=lambda: "0 of 11" in second["text"])
            for label, ticked in (("☐ 2", 1), ("☐ 5", 2), ("☑ 5", 1)):
                await api.press(second, label)
                await api.until(lambda count=ticked: f"{count} of 11" in second["text"])
            await api.press(second, "▶", until=lambda: "☐ 11" in str(second["reply_markup"]))
            for label, ticked in (("☐ 9", 2), ("☐ 11", 3)):
                await api.press(second, label)
                await api.until(lambda count=ticked: f"{count} of 11" in second["text"])
            old = dict(second)
            await api.press(second, "Forget", until=lambda: "reply_markup" not in second)
            await api.press(old, "Forget", until=lambda: phrase("memory.used") in api.world.toasts)
            known = await client.get_profile(c.GetProfileArgs())
    assert "3 memories" in second["text"]
    assert len((*known.facts, *known.preferences, *known.pins)) == 8
