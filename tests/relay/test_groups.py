"""A shared group has its own memory, a personal group uses the user's memory, and all other groups are ignored."""

from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce_relay.catalogue import phrase
from tests.memory_fixtures import Memory
from tests.relay.running_relay import GROUP, PERSONAL, Echo, Scripted, relaying
from tests.stubs.telegram_emulator.world import BOT

pytestmark = pytest.mark.anyio

SECRET = "my salary is 9000 dollars"
PROFILE = "Priya is a diabetic."


async def test_nothing_of_a_private_chat_reaches_a_shared_group(memory: Memory, tmp_path: Path) -> None:
    responder = Scripted("Noted [REMEMBER_GLOBAL: My salary is 9000 dollars]", "ok", "ok", "ok")
    async with relaying(memory, responder, state=tmp_path, profile=PROFILE, own={"user_name": "Boss"}) as api:
        await api.say(f"Remember that {SECRET}")
        await api.replies(2)  # the answer, and the message about the saved memory
        await api.say("What is my salary?", chat=GROUP)
        await api.say("/memory", chat=GROUP)
        await api.say("/summary", chat=GROUP)
        await api.say("/forget salary", chat=GROUP)
        await api.say("/status", chat=GROUP)
        await api.replies(7)
        await api.say("What is my salary?", user=43, chat=GROUP)
        await api.replies(8)
        await api.say("What is my salary?")
        await api.replies(9)
    private, group, others = responder.prompts[0], responder.prompts[1], responder.prompts[2]
    assert PROFILE in private.text
    for prompt in (group, others):
        assert "9000" not in prompt.text
        assert PROFILE not in prompt.text
    assert "You are speaking with Boss" in group.text
    assert "You are speaking with Priya" in others.text
    in_group = [message["text"] for message in api.sent if message["chat"]["id"] == GROUP]
    assert not [text for text in in_group if "9000" in text or "This month" in text]
    assert "9000" in responder.prompts[3].text, "in the private chat it is known"


async def test_without_a_model_only_words_for_the_bot_are_orders(memory: Memory) -> None:
    async with relaying(memory, own={"always_groups": ()}) as api:
        await api.say("forget it", chat=GROUP)
        await api.say("thanks", user=43, chat=GROUP)
        await api.say("@memory_bot remind me tomorrow at 9 to pack", chat=GROUP)
        shown = await api.replies(1)
    assert shown == ["⏰ I'll remind you tomorrow at 9:00 AM: pack"]
    assert api.world.reactions == []
    async with memory.tables() as tables:
        said = await tables.fetch("select content from messages where chat_id = $1 order by id", GROUP)
    assert [row["content"] for row in said][:2] == ["forget it", "thanks"]


async def test_without_a_model_a_statement_in_a_group_gets_a_sign_and_a_question_an_answer(memory: Memory) -> None:
    async with relaying(memory) as api:
        number = await api.say("I'll bring the cake", chat=GROUP)
        await api.say("Who brings the cake?", user=43, chat=GROUP)
        shown = await api.replies(1)
    assert shown == ["Priya said on Feb 16: “I'll bring the cake”"]
    assert [(sign["message_id"], sign["reaction"][0]["emoji"]) for sign in api.world.reactions] == [(str(number), "✍")]


async def test_the_bots_name_in_a_question_is_not_a_word_that_answers_it(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("@memory_bot our meeting is at 19:00", chat=GROUP)
        await api.until(lambda: len(api.world.reactions) == 1)
        await api.say("@memory_bot when does my passport expire?", chat=GROUP)
        (answer,) = await api.replies(1)
    assert answer == phrase("offline.nothing") or answer.startswith(phrase("offline.nearest"))
    assert "memory_bot" not in answer


async def test_a_personal_group_is_the_users_own_memory(memory: Memory, tmp_path: Path) -> None:
    responder = Scripted(
        "Noted [REMEMBER_GLOBAL: My salary is 9000 dollars]", "ok [REMEMBER_GLOBAL: My dog is called Rex]"
    )
    async with relaying(memory, responder, state=tmp_path, profile=PROFILE) as api, memory.client() as client:
        await api.say("My salary is 9000 dollars")
        await api.replies(2)
        assert (await client.get_profile(c.GetProfileArgs())).facts
        await api.say("What is my salary? By the way, my dog is called Rex.", chat=PERSONAL)
        await api.replies(4)
        facts = (await client.get_profile(c.GetProfileArgs())).facts
        chats = (await client.mcp.read_resource("memory://chats")).contents[0].text
    assert f'{{"chat_id": {PERSONAL}, "channel": "telegram", "name": "Group"' in chats
    assert "9000" in responder.prompts[1].text
    assert {fact.content for fact in facts} == {"My salary is 9000 dollars", "My dog is called Rex"}


async def test_what_a_group_is_told_stays_there(memory: Memory, tmp_path: Path) -> None:
    responder = Scripted("Noted [REMEMBER: The launch code name is Osprey]", "ok")
    async with relaying(memory, responder, state=tmp_path) as api, memory.client() as client:
        await api.say("The launch code name is Osprey", chat=GROUP)
        await api.replies(2)  # the answer, and the message about the saved memory
        await api.say("What is the launch code name?")
        await api.replies(3)
        found = await client.search_memory(c.SearchMemoryArgs(query="launch code name Osprey", where="all"))
    assert "Osprey" not in responder.prompts[1].text
    assert not [result for result in found.results if "Osprey" in result.text]


async def test_an_unlisted_group_gets_nothing_and_nothing_of_it_is_kept(memory: Memory, tmp_path: Path) -> None:
    responder = Echo()
    async with relaying(memory, responder, state=tmp_path) as api:
        await api.say("Hello", chat=-777)
        await api.say("/help", chat=-777)
        await api.say("Hello")
        await api.replies(1)
    assert [message["chat"]["id"] for message in api.sent] == [42]
    assert len(responder.prompts) == 1
    assert not list((tmp_path / "inbox").iterdir())


async def test_an_answer_in_a_group_replies_to_its_question(memory: Memory, tmp_path: Path) -> None:
    async with relaying(memory, Echo(), state=tmp_path) as api:
        number = await api.say("Hello", chat=GROUP)
        await api.replies(1)
    assert api.sent[0]["reply_to_message"]["message_id"] == number


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


async def test_in_a_group_only_who_speaks_to_the_bot_is_answered(memory: Memory, tmp_path: Path) -> None:
    responder = Echo()
    async with relaying(memory, responder, state=tmp_path, own={"always_groups": ()}) as api, memory.relay() as client:
        await api.say("Ann, lunch at 12?", chat=GROUP)
        await api.say("Yes please", user=43, chat=GROUP)
        await api.say("@Memory_Bot who wants lunch?", user=43, chat=GROUP)
        await api.replies(1)
        await api.say("Sure?", chat=GROUP, reply_to=api.sent[0]["message_id"])
        await api.replies(2)
        mention = [{"type": "text_mention", "offset": 0, "length": 6, "user": BOT}]
        await api.say("Memory, and now?", chat=GROUP, entities=mention)
        await api.say("/help", chat=GROUP)
        await api.replies(4)
        await api.say("My own group", chat=PERSONAL)
        await api.replies(5)
        context = (await client.get_context(c.GetContextArgs(chat_id=GROUP))).context or ""
    answered = sorted(str(message["text"]) for message in api.sent)
    assert [text for text in answered if text.startswith("re ")] == [
        *("re @Memory_Bot who wants lunch?", "re Memory, and now?", "re My own group", "re Sure?"),
    ]
    assert "User (Priya): Ann, lunch at 12?" in context
    assert "Ann, lunch at 12?" in responder.prompts[0].text, "what was said to others is known all the same"


async def test_in_a_personal_group_only_its_owner_is_heard(memory: Memory) -> None:
    async with relaying(memory, Echo()) as api:
        await api.say("Where do I live?", user=43, chat=PERSONAL)
        await api.say("I am here", chat=PERSONAL)
        assert await api.replies(1) == ["re I am here"]
    async with memory.tables() as tables:
        assert not await tables.fetchval("select count(*) from messages where content like 'Where%'")
