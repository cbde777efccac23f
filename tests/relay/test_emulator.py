"""Tests that the emulated Telegram follows the rules of the real one. They call it with python-telegram-bot."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, InvalidToken, RetryAfter, TelegramError

from tellonce_relay.telegram.bot_client import make_bot
from tellonce_relay.telegram.message_sender import wanted_pause
from tests.stubs.telegram_emulator import (
    DropAfter,
    DropBefore,
    Garbage,
    Refuse,
    Telegram,
    slow_down,
)

pytestmark = pytest.mark.anyio

GROUP, FORUM = -100, -1_000_000_000_100


@pytest.fixture
async def bot(api: Telegram) -> AsyncIterator[Bot]:
    async with Bot("999:emulated", f"{api.url}/bot") as made:
        yield made


async def test_updates_wait_until_they_are_acknowledged(api: Telegram, bot: Bot) -> None:
    await api.say("one")
    await api.say("two")
    assert [u.message.text for u in await bot.get_updates() if u.message] == ["one", "two"]
    again = await bot.get_updates(offset=2)
    assert [u.message.text for u in again if u.message] == ["two"]
    assert await bot.get_updates(offset=3) == ()


async def test_a_poll_is_long_and_a_newer_one_ends_it(api: Telegram, bot: Bot) -> None:
    older = asyncio.create_task(bot.get_updates(timeout=20))
    await api.until(lambda: len(api.api.of("getUpdates")) == 1)
    async with Bot("999:emulated", f"{api.url}/bot") as second:
        newer = asyncio.create_task(second.get_updates(timeout=20))
        with pytest.raises(Conflict):
            await older
        await api.say("one")
        assert len(await newer) == 1


async def test_only_the_kinds_asked_for_come(api: Telegram, bot: Bot) -> None:
    await bot.get_updates(allowed_updates=["edited_message"])
    number = await api.say("one")
    await api.edit(number, "two")
    assert [u.edited_message.text for u in await bot.get_updates() if u.edited_message] == ["two"]


async def test_a_webhook_and_polling_exclude_each_other(bot: Bot) -> None:
    await bot.set_webhook("http://127.0.0.1:1/")
    with pytest.raises(Conflict):
        await bot.get_updates()


@pytest.mark.parametrize(
    ("text", "more", "reason"),
    [
        ("", {}, "empty"),
        ("🙂" * 2049, {}, "too long"),
        ("Hi", {"entities": [MessageEntity("bold", 1, 5)]}, "bounds"),
        ("Hi", {"reply_markup": InlineKeyboardMarkup([[InlineKeyboardButton("x", callback_data="y" * 64 + "é")]])}, "BUTTON_DATA"),
        ("Hi", {"message_thread_id": 7}, "thread not found"),
    ],
)  # fmt: skip
async def test_what_the_real_one_refuses_is_refused(bot: Bot, text: str, more: dict[str, object], reason: str) -> None:
    with pytest.raises(BadRequest, match=f"(?i){reason}"):
        await bot.send_message(42, text, **more)


async def test_blanks_at_the_ends_go_but_the_indentation_of_code_stays(api: Telegram, bot: Bot) -> None:
    await bot.send_message(42, "  plain  ")
    await bot.send_message(42, "  code\n", entities=[MessageEntity("pre", 0, 6)])
    assert [message["text"] for message in api.sent] == ["plain", "  code"]


async def test_edits_are_for_own_messages_and_must_change_something(api: Telegram, bot: Bot) -> None:
    theirs = await api.say("Hi")
    ours = await bot.send_message(42, "Hello")
    for number, reason in ((theirs, "can't be edited"), (99, "not found"), (ours.message_id, "not modified")):
        with pytest.raises(BadRequest, match=reason):
            await bot.edit_message_text("Hello", 42, number)
    await bot.edit_message_text("Bye", 42, ours.message_id)
    assert [message["text"] for message in api.sent] == ["Bye"]


async def test_private_chats_and_basic_groups_share_numbers_supergroups_have_their_own(api: Telegram, bot: Bot) -> None:
    numbers = [await api.say("a"), await api.say("b", chat=GROUP), await api.say("c", chat=FORUM)]
    numbers.append((await bot.send_message(43, "d")).message_id)
    assert numbers == [1, 2, 1, 3]


async def test_a_topics_messages_reply_to_its_creation(api: Telegram, bot: Bot) -> None:
    topic = api.open_topic(FORUM, "AWS")
    await api.say("Hi", chat=FORUM, topic=topic)
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.reply_to_message is not None
    assert update.message.reply_to_message.forum_topic_created is not None
    assert update.message.is_topic_message
    await bot.send_message(FORUM, "Hello", message_thread_id=topic)


async def test_a_tap_is_answered_once(api: Telegram, bot: Bot) -> None:
    await bot.send_message(
        42, "Well?", reply_markup=InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
    )
    await api.press(api.sent[0], "Yes")
    (update,) = await bot.get_updates()
    assert update.callback_query is not None
    await update.callback_query.answer("Good")
    with pytest.raises(BadRequest, match="too old"):
        await update.callback_query.answer("Again")
    assert api.world.toasts == ["Good"]


async def test_blocked_moved_and_unknown_bots_are_reported(api: Telegram, bot: Bot) -> None:
    api.world.blocked.add(43)
    await api.migrate(GROUP, FORUM)
    with pytest.raises(Forbidden):
        await bot.send_message(43, "Hi")
    with pytest.raises(ChatMigrated) as moved:
        await bot.send_message(GROUP, "Hi")
    assert moved.value.new_chat_id == FORUM
    async with make_bot("999:other", api.url) as stranger:
        with pytest.raises(InvalidToken):
            await stranger.get_me()


@pytest.mark.parametrize(
    ("fault", "sent"),
    [(DropBefore(), 0), (DropAfter(), 1), (Garbage(), 1), (Refuse(502, "Bad Gateway"), 0)],
    ids=lambda value: type(value).__name__,
)
async def test_a_fault_is_an_error_before_or_after_the_effect(
    api: Telegram, bot: Bot, fault: object, sent: int
) -> None:
    api.faults["sendMessage"] = [None, fault]
    await bot.send_message(42, "first")
    with pytest.raises(TelegramError):
        await bot.send_message(42, "second")
    assert len(api.sent) == 1 + sent


async def test_a_slowdown_says_how_long(api: Telegram, bot: Bot) -> None:
    api.faults["sendMessage"] = [slow_down(7)]
    with pytest.raises(RetryAfter) as refused:
        await bot.send_message(42, "Hi")
    assert wanted_pause(refused.value) == 7
