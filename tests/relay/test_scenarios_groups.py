"""Three people in a group: Mara and Tom, who may talk to the bot, and Eve, who may not."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tellonce import contract as c
from tellonce.reminders import SetReminderArgs
from tellonce_relay.buttons import CallbackData, encoded, read
from tellonce_relay.catalogue import LANGUAGES, entries, phrase
from tellonce_relay.commands.callbacks import TOAST
from tellonce_relay.routines.file import Routine
from tests.memory_fixtures import Clock, Memory, tables_with
from tests.relay.running_relay import GROUP, Echo, relaying, texts, until_recorded
from tests.stubs.telegram_emulator import Telegram
from tests.stubs.telegram_emulator.world import BOT

pytestmark = pytest.mark.anyio

MARA, TOM, EVE = 42, 43, 666
ALWAYS = -1_000_000_000_222
NEW = -1_000_000_005_551
ADDRESSED = {"always_groups": ()}


@pytest.fixture
async def people(api: Telegram) -> Telegram:
    """A Telegram in which each person has a name."""
    api.world.names |= {MARA: "Mara", TOM: "Tom", EVE: "Eve"}
    return api


def in_chat(api: Telegram, chat: int) -> list[str]:
    return [str(message["text"]) for message in api.sent if message["chat"]["id"] == chat]


async def test_private_secrets_of_two_people_are_in_no_prompt_and_no_view_of_their_group(
    memory: Memory, people: Telegram
) -> None:
    model = Echo()
    async with relaying(memory, model, api=people, own=ADDRESSED) as api:
        await api.say("/remember I am going to propose to Lena on 4 July")
        await api.say("/remember My salary is 81,500")
        await api.ask("/remember I'm leaving the company in September", user=TOM, replies=3)
        question = "@memory_bot what are my plans for 4 July?"
        await api.ask(question, chat=GROUP, replies=4)
        await until_recorded(memory, api.sent[3])
        await api.ask("@memory_bot what does Mara earn?", user=TOM, chat=GROUP, replies=5)
        await api.say("@memory_bot what does Mara plan at midnight?", user=EVE, chat=GROUP)
        await api.ask("@memory_bot summarise what you know about all of us", chat=GROUP, replies=6)
        await api.ask("/memory", user=TOM, chat=GROUP, replies=7)
        await api.ask("/summary", user=TOM, chat=GROUP, replies=8)
        await api.ask("/status", user=TOM, chat=GROUP, replies=9)
        await api.ask("/why", user=TOM, chat=GROUP, reply_to=api.sent[3]["message_id"], replies=10)
        of_group = [prompt.text for prompt in model.prompts]
        await api.ask("What are my plans for 4 July?", replies=11)
        await api.ask("What does Mara earn?", user=TOM, replies=12)
    secrets = ("Lena", "propose", "81,500", "leaving", "September")
    assert [word for word in secrets if any(word in text for text in (*of_group, *in_chat(api, GROUP)))] == []
    assert "Lena" in model.prompts[-2].text, "the person's own chat knows"
    assert "81,500" not in model.prompts[-1].text
    assert "$" not in in_chat(api, GROUP)[-2]
    assert "midnight" not in "".join(texts(api))
    async with memory.tables() as tables:
        assert await tables_with(tables, "midnight") == []


async def test_people_of_one_first_name_are_told_apart_in_history_and_prompt(
    memory: Memory, api: Telegram, tmp_path: Path
) -> None:
    toms = (42, 43, 44, 45)
    own = {"user_ids": toms, "personal_groups": ()}
    api.world.names |= dict.fromkeys(toms, "Tom")
    api.world.profiles |= {43: {"last_name": "Baker"}, 44: {"last_name": "Brown", "username": "tomb"}}
    model = Echo()
    async with relaying(memory, model, api=api, state=tmp_path, own=own):
        for user in toms:
            await api.say(f"My desk is number {user}", user=user, chat=GROUP)
        await api.replies(4)
        await api.say("Hello", user=43)
        await api.replies(5)
        private = model.prompts[-1].text
    api.world.profiles[43] = {"last_name": "Baker-Jones"}
    async with relaying(memory, model, api=api, state=tmp_path, own=own):
        await api.say("And my chair is blue", user=43, chat=GROUP)
        await api.say("And mine is red", user=42, chat=GROUP)
        shown = await api.replies(7)
    assert shown[-1] == "re And mine is red"
    prompt = model.prompts[-1].text
    for name, said in (
        *(("Tom", "My desk is number 42"), ("Tom B.", "My desk is number 43"), ("Tom @tomb", "My desk is number 44")),
        *(("Tom 2", "My desk is number 45"), ("Tom B.", "And my chair is blue")),
    ):
        assert f"User ({name}): {said}" in prompt
    assert "You are speaking with Tom B." in model.prompts[-2].text
    assert "You are speaking with Tom." in private
    async with memory.tables() as tables:
        rows = await tables.fetch("select speaker from messages where chat_id = $1 and role = 'user'", GROUP)
    assert [row["speaker"] for row in rows] == ["Tom", "Tom B.", "Tom @tomb", "Tom 2", "Tom B.", "Tom"]
    assert "Tom" not in (tmp_path / "speakers.json").read_text()


async def test_the_bot_answers_who_addresses_it_and_nobody_else(memory: Memory, people: Telegram) -> None:
    model = Echo()
    own = {"groups": (GROUP, ALWAYS), "always_groups": (), "personal_groups": ()}
    async with relaying(memory, model, api=people, own=own) as api:
        await api.say("mail me at x@tell", chat=GROUP, entities=[{"type": "email", "offset": 11, "length": 6}])
        await api.say("@memory_bots is another one", chat=GROUP)
        lunch = await api.say("lunch is at one", user=TOM, chat=GROUP)
        await api.say("ok", chat=GROUP, reply_to=lunch)
        await api.say("/memory@other_bot", user=TOM, chat=GROUP)
        anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
        sender = {"from": anonymous, "sender_chat": {"id": GROUP, "type": "group", "title": "Group"}}
        await api.say("@memory_bot hi, I am the admin", chat=GROUP, **sender)
        channel = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
        await api.say("@memory_bot a post of the channel", chat=GROUP, **{"from": channel}, is_automatic_forward=True)
        await api.ask("@MEMORY_BOT hello", user=TOM, chat=GROUP, replies=1)
        await api.ask("and in winter?", chat=GROUP, reply_to=api.sent[0]["message_id"], replies=2)
        await api.ask("/summary@memory_bot", user=TOM, chat=GROUP, replies=3)
        caption = [{"type": "mention", "offset": 0, "length": 11}]
        await api.photo(chat=GROUP, caption="@memory_bot what is this?", caption_entities=caption)
        await api.until(lambda: any("what is this" in text for text in texts(api)))
        mention = [{"type": "text_mention", "offset": 0, "length": 6, "user": BOT}]
        await api.say("Memory, hear me", chat=GROUP, entities=mention, until=lambda: "re Memory, hear me" in texts(api))
        await api.say("@memory_bot when did Tom say lunch is?", chat=GROUP)
        await api.until(lambda: "re @memory_bot when did Tom say lunch is?" in texts(api))
    answered = {text.removeprefix("re ") for text in texts(api) if text.startswith("re ")}
    assert answered == {
        "@MEMORY_BOT hello",
        "and in winter?",
        "[photo] @memory_bot what is this?",
        "Memory, hear me",
        "@memory_bot when did Tom say lunch is?",
    }
    assert "User (Tom): lunch is at one" in model.prompts[-1].text
    async with memory.tables() as tables:
        assert await tables_with(tables, "I am the admin") == []
        assert await tables_with(tables, "a post of the channel") == []


async def test_who_said_i_is_named_in_the_prompt_and_stays_one_person_under_a_new_name(
    memory: Memory, people: Telegram
) -> None:
    model = Echo()
    async with relaying(memory, model, api=people, own=ADDRESSED) as api:
        await api.say("I'm allergic to peanuts", user=TOM, chat=GROUP)
        await api.say("I'm not allergic to anything", chat=GROUP)
        await api.say("My birthday is 3 May", chat=GROUP)
        await api.say("mine is 9 May", user=TOM, chat=GROUP)
        await api.ask("@memory_bot what am I allergic to?", chat=GROUP, replies=1)
        await api.ask("@memory_bot when is my birthday?", user=TOM, chat=GROUP, replies=2)
        await api.ask("Am I allergic to anything?", replies=3)
    hers, his, private = (prompt.text for prompt in model.prompts)
    for line in ("(Tom): I'm allergic to peanuts", "(Mara): I'm not allergic", "(Tom): mine is 9 May"):
        assert line in hers
        assert line in his
    assert "You are speaking with Mara" in hers
    assert "You are speaking with Tom" in his
    assert "peanuts" not in private


def forged(message: dict[str, Any], code: str) -> dict[str, Any]:
    """A copy of the message, with a button X that has this data."""
    return message | {"reply_markup": {"inline_keyboard": [[{"text": "X", "callback_data": code}]]}}


def number_of(message: dict[str, Any]) -> int:
    found = read(message["reply_markup"]["inline_keyboard"][0][0]["callback_data"])
    assert found is not None
    return found.number


@pytest.mark.parametrize("action", ["tick", "all", "erase"])
async def test_a_list_of_a_private_chat_cannot_be_used_from_elsewhere(
    memory: Memory, people: Telegram, action: Any
) -> None:
    async with relaying(memory, api=people) as api:
        await api.ask("/remember I propose to Lena in July", replies=1)
        await api.ask("/forget Lena", replies=2)
        code = encoded(CallbackData(action, number_of(api.sent[1]), 1))
        await api.ask("/memory", user=TOM, chat=GROUP, replies=3)
        await api.ask("/memory", user=TOM, replies=4)
        for shown in api.sent[2:4]:
            await api.press(forged(shown, code), "X", user=TOM)
        await api.until(lambda: len(api.world.toasts) == 2)
        await api.ask("What do you know?", user=TOM, replies=5)
        profile = await kept(memory)
    seen = [m["text"] for m in api.sent if m["chat"]["id"] != MARA] + api.world.toasts
    assert not [text for text in seen if "Lena" in text]
    assert profile == ["I propose to Lena in July"]


@pytest.mark.parametrize("action", ["edit", "open", "remove", "undo", "reject", "confirm", "close", "unremind", "done"])
async def test_a_memory_of_a_private_chat_cannot_be_reached_from_elsewhere(
    memory: Memory, people: Telegram, action: Any
) -> None:
    async with relaying(memory, api=people) as api:
        await api.ask("/remember I propose to Lena in July", replies=1)
        async with memory.client() as client:
            number = (await client.get_profile(c.GetProfileArgs())).dates or (
                await client.get_profile(c.GetProfileArgs())
            ).facts
        await api.say("/memory", user=TOM, chat=GROUP)
        await api.ask("/memory", user=TOM, replies=3)
        code = encoded(CallbackData(action, number[0].id, 0))
        for shown in api.sent[1:3]:
            await api.press(forged(shown, code), "X", user=TOM)
        await api.until(lambda: len(api.world.toasts) == 2)
        profile = await kept(memory)
    seen = [m["text"] for m in api.sent if m["chat"]["id"] != MARA] + api.world.toasts
    assert not [text for text in seen if "Lena" in text]
    assert profile == ["I propose to Lena in July"]


async def kept(memory: Memory) -> list[str]:
    async with memory.tables() as tables:
        return [row["content"] for row in await tables.fetch("select content from memories where status = 'active'")]


async def test_of_a_groups_list_a_stranger_gets_nothing_and_a_double_tap_erases_once(
    memory: Memory, people: Telegram
) -> None:
    async with relaying(memory, api=people, own=ADDRESSED) as api:
        await api.say("/remember The allotment opens in May", chat=GROUP)
        await api.ask("/forget allotment", chat=GROUP, replies=2)
        asked = api.sent[1]
        await api.press(asked, "Forget", user=EVE)
        await api.all_fetched()
        await api.press(asked, "Forget")
        await api.press(asked, "Forget", until=lambda: len(api.world.toasts) == 2)
    assert asked["text"].startswith("✓ Forgotten (1 memory")
    assert api.world.toasts == [asked["text"], phrase("memory.used")]


def routine(name: str, chat: int) -> Routine:
    return Routine.model_validate({"name": name, "cron": "16 9 * * *", "chat": chat, "command": ["echo", "Good day"]})


async def test_a_moved_group_gets_its_answers_reminders_and_routines_in_its_new_place_also_after_a_restart(
    memory: Memory, people: Telegram, tmp_path: Path, clock: Clock
) -> None:
    gate = asyncio.Event()
    async with relaying(memory, Echo(gate), api=people, state=tmp_path, clock=clock, own=ADDRESSED) as api:
        await api.say("our cabin code is 4417", chat=GROUP)
        await api.say("@memory_bot tell us about the trip", user=TOM, chat=GROUP)
        async with memory.relay() as client:
            due = clock() + timedelta(minutes=30)
            await client.set_reminder(SetReminderArgs(chat_id=GROUP, content="buy bread", at=due))
        await api.until(lambda: bool(api.world.actions))
        await api.migrate(GROUP, NEW)
        await api.all_fetched()
        gate.set()
        await api.replies(1)
    model = Echo()
    routines = (routine("morning-call", GROUP),)
    clock.at = clock().replace(hour=1, minute=15, second=59)
    async with relaying(
        memory, model, api=people, state=tmp_path, clock=clock, own=ADDRESSED, routines=routines
    ) as api:
        await api.ask("@memory_bot what's the cabin code?", chat=NEW, replies=2)
        clock.forward(minutes=40)
        await api.say("/help", user=TOM, until=lambda: any("buy bread" in text for text in in_chat(api, NEW)))
    assert in_chat(api, GROUP) == []
    assert in_chat(api, NEW)[0] == "re @memory_bot tell us about the trip"
    assert "our cabin code is 4417" in model.prompts[-1].text
    assert sum("buy bread" in text for text in in_chat(api, NEW)) == 1
    async with memory.tables() as tables:
        owners = {row["owner_id"] for row in await tables.fetch("select owner_id from messages where content ~ '4417'")}
    assert len(owners) == 1


async def test_a_reminder_of_a_deleted_topic_comes_to_the_group_and_a_lost_group_is_not_asked_for_ever(
    memory: Memory, people: Telegram, clock: Clock
) -> None:
    own = {"groups": (ALWAYS,), "always_groups": (), "personal_groups": ()}
    memory.settings.groups  # noqa: B018 - the group is served by the memory, too
    async with relaying(memory, Echo(), api=people, clock=clock, own={**own, "groups": (GROUP,)}) as api:
        topic = api.open_topic(GROUP, "Garden")
        await api.ask("@memory_bot the hedge is cut in March", chat=GROUP, topic=topic, replies=1)
        async with memory.relay() as client:
            for minutes, what, where in ((30, "water the hedge", topic), (60, "meet at the gate", None)):
                at = clock() + timedelta(minutes=minutes)
                args = SetReminderArgs(chat_id=GROUP, content=what, at=at, message_thread_id=where)
                await client.set_reminder(args)
        del api.world.messages[GROUP, topic]
        clock.forward(minutes=31)
        await api.say("/help", until=lambda: any("water the hedge" in text for text in in_chat(api, GROUP)))
        api.world.blocked.add(GROUP)
        clock.forward(minutes=31)
        for count in range(20):
            clock.forward(seconds=20)
            await api.say("/help")
            await api.until(lambda seen=count: len(in_chat(api, MARA)) >= seen + 2)
        tried = [call for call in api.api.of("sendMessage") if "meet at the gate" in call["text"]]
        api.world.blocked.clear()
        clock.forward(hours=2)
        model_question = "@memory_bot what did we say about the hedge?"
        await api.say(model_question, chat=GROUP, until=lambda: f"re {model_question}" in in_chat(api, GROUP))
        await api.until(lambda: any("meet at the gate" in text for text in in_chat(api, GROUP)))
    assert len(tried) == 1, "a chat that removed the bot is not asked again and again"
    assert sum("meet at the gate" in text for text in texts(api)) == 1
    assert not [text for text in in_chat(api, MARA) if "gate" in text]


async def test_only_the_operator_erases_the_words_of_all_members_of_a_group(memory: Memory, people: Telegram) -> None:
    """Mara is the operator. The relay refuses Tom's command, and also his press of a button below Mara's question."""
    async with relaying(memory, Echo(), api=people, own=ADDRESSED) as api, memory.tables() as tables:
        await api.say("My violin is from Cremona", chat=GROUP)
        await api.say("My cello is from Mittenwald", user=TOM, chat=GROUP)
        await api.ask("/forget@memory_bot", user=TOM, chat=GROUP, replies=1)
        await api.ask("/forget@memory_bot", chat=GROUP, replies=2)
        refused, asked = api.sent
        await api.press(asked, "Forget everything", user=TOM, until=lambda: bool(api.world.toasts))
        kept = [bool(await tables_with(tables, word)) for word in ("violin", "cello")]
        await api.press(asked, "Forget everything", until=lambda: asked["text"].startswith("✓ Forgotten"))
        left = [bool(await tables_with(tables, word)) for word in ("violin", "cello")]
    assert (refused["text"], "reply_markup" in refused) == (phrase("forget.wipe_refused"), False)
    assert api.world.toasts[0] == phrase("forget.wipe_refused")
    assert (kept, left) == ([True, True], [False, False])


async def test_the_question_before_everything_goes_says_whose_words_go(memory: Memory, people: Telegram) -> None:
    async with relaying(memory, Echo(), api=people, own=ADDRESSED) as api, memory.client() as client:
        await api.say("My cello is from Mittenwald", user=TOM, chat=GROUP)
        await client.record_message(c.RecordMessageArgs(role="user", content="Hello", conversation_id="~/shop"))
        await api.ask("/forget@memory_bot", chat=GROUP, replies=1)
        await api.ask("/forget", replies=2)
    assert texts(api)[:2] == [phrase("forget.wipe_group", n=1), phrase("forget.wipe", n=1)]


def test_a_refusal_is_whole_in_the_small_window_of_a_tap() -> None:
    for language in LANGUAGES:
        assert len(entries(language)["forget.wipe_refused"]) <= TOAST
