"""A shared group has its own memory, a personal group uses the user's memory, and all other groups are ignored."""

from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import LANGUAGES, Language, phrase, use_language
from tests.memory_fixtures import Memory
from tests.relay.running_relay import GROUP, PERSONAL, USER, Echo, Scripted, relaying
from tests.stubs.telegram_emulator import telegram

pytestmark = pytest.mark.anyio

SECRET = "my salary is 9000 dollars"
PROFILE = "Priya is a diabetic."


async def test_without_a_model_only_words_for_the_bot_are_orders(memory: Memory) -> None:
    async with relaying(memory, own={"always_groups": ()}) as api:
        await api.say("forget it", chat=GROUP)
        await api.say("thanks", user=43, chat=GROUP)
        shown = await api.ask("@memory_bot remind me tomorrow at 9 to pack", chat=GROUP, replies=1)
    assert shown == ["⏰ I'll remind you tomorrow at 9:00 AM: pack"]
    assert api.world.reactions == []
    async with memory.tables() as tables:
        said = await tables.fetch("select content from messages where chat_id = $1 order by id", GROUP)
    assert [row["content"] for row in said][:2] == ["forget it", "thanks"]


async def test_without_a_model_a_statement_in_a_group_gets_a_sign_and_a_question_an_answer(memory: Memory) -> None:
    async with relaying(memory) as api:
        number = await api.say("I'll bring the cake", chat=GROUP)
        shown = await api.ask("Who brings the cake?", user=43, chat=GROUP, replies=1)
    assert shown == ["Priya said on Feb 16: “I'll bring the cake”"]
    assert [(sign["message_id"], sign["reaction"][0]["emoji"]) for sign in api.world.reactions] == [(str(number), "✍")]


async def test_the_bots_name_in_a_question_is_not_a_word_that_answers_it(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("@memory_bot our meeting is at 19:00", chat=GROUP, until=lambda: len(api.world.reactions) == 1)
        (answer,) = await api.ask("@memory_bot when does my passport expire?", chat=GROUP, replies=1)
    assert answer == phrase("offline.nothing") or answer.startswith(phrase("offline.nearest"))
    assert "memory_bot" not in answer


async def test_a_promised_reminder_that_the_words_do_not_support_is_reported_in_a_group(memory: Memory) -> None:
    async with relaying(memory, Scripted("Sure. [REMIND: divorce Ann | AT: 2026-02-17 09:00]")) as api:
        shown = await api.ask("@memory_bot how are you?", chat=GROUP, replies=2)
    assert shown == ["Sure.", phrase("reminder.not_set", what="divorce Ann", reason=phrase("reminder.misread"))]


async def test_a_personal_group_is_the_users_own_memory(memory: Memory, tmp_path: Path) -> None:
    responder = Scripted(
        "Noted [REMEMBER_GLOBAL: My salary is 9000 dollars]", "ok [REMEMBER_GLOBAL: My dog is called Rex]"
    )
    async with relaying(memory, responder, state=tmp_path, profile=PROFILE) as api, memory.client() as client:
        await api.ask("My salary is 9000 dollars", replies=2)
        assert (await client.get_profile(c.GetProfileArgs())).facts
        await api.ask("What is my salary? By the way, my dog is called Rex.", chat=PERSONAL, replies=4)
        facts = (await client.get_profile(c.GetProfileArgs())).facts
        chats = (await client.mcp.read_resource("memory://chats")).contents[0].text
    assert f'{{"chat_id": {PERSONAL}, "channel": "telegram", "name": "Group"' in chats
    assert "9000" in responder.prompts[1].text
    assert {fact.content for fact in facts} == {"My salary is 9000 dollars", "My dog is called Rex"}


async def test_what_a_group_is_told_stays_there_and_the_users_own_profile_is_not_shown_to_it(
    memory: Memory, tmp_path: Path
) -> None:
    responder = Scripted("Noted [REMEMBER: The launch code name is Osprey]", "ok")
    own = {"user_name": "Boss"}
    async with (
        relaying(memory, responder, state=tmp_path, profile=PROFILE, own=own) as api,
        memory.client() as client,
    ):
        await api.ask(
            "The launch code name is Osprey", chat=GROUP, replies=2
        )  # the answer, and the message about the saved memory
        await api.ask("What is the launch code name?", replies=3)
        found = await client.search_memory(c.SearchMemoryArgs(query="launch code name Osprey", where="all"))
    in_group, private = (prompt.text for prompt in responder.prompts)
    assert "You are speaking with Boss" in in_group
    assert (PROFILE in in_group, PROFILE in private) == (False, True)
    assert "Osprey" not in private
    assert not [result for result in found.results if "Osprey" in result.text]


async def test_an_album_is_recorded_whole_and_answered_once(memory: Memory, tmp_path: Path) -> None:
    responder = Echo()
    responder.kinds = frozenset(("image",))
    async with relaying(memory, responder, state=tmp_path) as api, memory.client() as client:
        first = await api.photo(media_group_id="1", caption="Our trip")
        await api.photo(media_group_id="1", date=api.world.messages[42, first]["date"])
        await api.photo(media_group_id="2", caption="And home")
        shown = await api.replies(2)
        context = (await client.get_context(c.GetContextArgs())).context or ""
    assert shown == ["re [photo] Our trip\n[photo]", "re [photo] And home"]
    assert context.count("User: [photo]") == 3


async def test_a_picture_that_comes_after_the_answer_to_its_album_is_recorded_and_not_answered(memory: Memory) -> None:
    responder = Echo()
    responder.kinds = frozenset(("image",))
    async with relaying(memory, responder) as api, memory.client() as client:
        await api.photo(media_group_id="1", caption="Our trip")
        await api.replies(1)
        await api.photo(media_group_id="1")
        shown = await api.ask("And home", replies=2)
        context = (await client.get_context(c.GetContextArgs())).context or ""
    assert shown[1] == "re And home"
    assert context.count("User: [photo]") == 2


async def test_in_a_personal_group_only_its_owner_is_heard(memory: Memory) -> None:
    async with relaying(memory, Echo()) as api:
        await api.say("Where do I live?", user=43, chat=PERSONAL)
        assert await api.ask("I am here", chat=PERSONAL, replies=1) == ["re I am here"]
    async with memory.tables() as tables:
        assert not await tables.fetchval("select count(*) from messages where content like 'Where%'")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_memory_of_a_group_is_not_called_one_persons_profile(memory: Memory, language: Language) -> None:
    async with telegram() as started:
        started.world.languages[USER] = language
        async with relaying(memory, api=started) as api:
            (shown,) = await api.ask("/memory", chat=GROUP, replies=1)
            private = await api.ask("/memory", replies=2)
    with use_language(language):
        titles = phrase("memory.group_title"), phrase("memory.profile_title")
    assert shown.startswith(titles[0])
    assert private[1].startswith(titles[1])
