"""The Telegram relay against a Bot API on loopback and a real memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chatmem import contract as c
from chatmem.settings import RelaySettings
from chatmem_relay.bot import Relay
from chatmem_relay.responders.offline import OfflineResponder
from chatmem_relay.telegram_bot import make_bot
from tests.memory_fixtures import Memory
from tests.stubs.telegram_emulator import Telegram, slow_down, telegram, unreadable_markdown

pytestmark = pytest.mark.anyio

TOKEN = "999:emulated"


@asynccontextmanager
async def relaying(memory: Memory) -> AsyncIterator[Telegram]:
    settings = RelaySettings.model_validate({"user_ids": (42,), "groups": (-100,), "timezone": "Asia/Singapore"})
    stop = asyncio.Event()
    async with telegram() as api, memory.relay() as client, make_bot(TOKEN, api.url) as bot:
        running = asyncio.create_task(Relay(bot, client, OfflineResponder(), settings).run(stop))
        try:
            yield api
        finally:
            stop.set()
            await running


async def test_a_message_is_answered_once_and_both_sides_are_recorded(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("My team offsite is on March 15")
        await api.replies(1)
        await api.say("When is my team offsite?")
        answers = await api.replies(2)
    async with memory.client() as client:
        context = await client.get_context(c.GetContextArgs())
    assert "March 15" in answers[1]
    assert context.context is not None
    assert context.context.count("User: ") == 2
    assert context.context.count("Assistant: ") == 2
    assert context.coverage.gap == 0


async def test_strangers_get_no_word_and_nothing_of_theirs_is_kept(memory: Memory) -> None:
    async with relaying(memory) as api:
        await api.say("Let me in", user=666)
        await api.say("Hello", user=42)
        await api.replies(1)
    assert {message["chat"]["id"] for message in api.sent} == {42}


async def test_a_slowdown_is_waited_out_and_unreadable_markdown_goes_plain(memory: Memory) -> None:
    async with relaying(memory) as api:
        api.faults["sendMessage"] = [slow_down(0), unreadable_markdown()]
        await api.say("A fact with _odd *marks")
        answers = await api.replies(1)
    assert len(answers) == 1


async def test_forget_shows_each_match_and_a_tap_erases_it(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        await api.say("/remember I prefer Singapore Standard Time for all scheduling")
        stored = await api.replies(1)
        await api.say("/forget Singapore")
        await api.replies(2)
        await api.press(api.sent[1], "Forget this")
        await api.until(lambda: api.sent[1]["text"] == "✓ Forgotten")
        profile = await client.get_profile(c.GetProfileArgs())
    assert stored == ["✓ Remembered: I prefer Singapore Standard Time for all scheduling"]
    assert profile.preferences == ()


async def test_an_edited_message_changes_the_memory_of_it_and_is_not_answered_again(memory: Memory) -> None:
    async with relaying(memory) as api, memory.client() as client:
        number = await api.say("The offsite is on March 15")
        await api.replies(1)
        await api.edit(number, "The offsite is on March 22")
        await api.say("/help")
        await api.replies(2)
        why = await client.explain(c.ExplainArgs(message_id=str(number)))
    assert why.text == "The offsite is on March 22"
    assert [version.text for version in why.versions] == ["The offsite is on March 15"]


async def test_topics_and_replies_of_a_group_fall_into_their_lanes(memory: Memory) -> None:
    async with relaying(memory) as api, memory.relay() as client:
        created = {
            "message_id": 5,
            "date": 1,
            "chat": {"id": -100, "type": "supergroup"},
            "forum_topic_created": {"name": "A", "icon_color": 1},
        }
        await api.say("In a topic", chat=-100, is_topic_message=True, message_thread_id=5, reply_to_message=created)
        await api.say("In the open", chat=-100)
        await api.replies(2)
        topic = await client.get_context(c.GetContextArgs(chat_id=-100, message_thread_id=5))
        root = await client.get_context(c.GetContextArgs(chat_id=-100))
    assert topic.thread_key == "topic:-100:5"
    assert "In a topic" in (topic.context or "")
    assert "In a topic" not in (root.context or "")
    assert "In the open" in (root.context or "")
