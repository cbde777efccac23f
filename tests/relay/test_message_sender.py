"""The numbers that the sender of messages remembers, tested with a bot that only stores texts."""

from typing import Any, cast

import pytest
from telegram import Bot, Message
from telegram.error import BadRequest, TimedOut

from tellonce_relay.seen_store import SeenStore
from tellonce_relay.telegram.markdown import Marked
from tellonce_relay.telegram.message_sender import Address, MessageSender

pytestmark = pytest.mark.anyio

ME, OTHER = Address(5), Address(6)


class StoringBot:
    def __init__(self) -> None:
        self.texts: dict[tuple[int, int], str] = {}
        self.loses = False

    async def send_message(self, chat_id: int, text: str, **_: Any) -> Message:
        if self.loses:
            self.loses = False
            raise TimedOut
        number = len(self.texts) + 1
        self.texts[chat_id, number] = text
        return cast("Message", type("Sent", (), {"message_id": number}))

    async def edit_message_text(self, text: str, chat_id: int, message_id: int, **_: Any) -> None:
        there = self.texts.get((chat_id, message_id))
        raise BadRequest("message is not modified" if there == text else "message to edit not found")

    async def delete_message(self, chat_id: int, message_id: int) -> None:
        del self.texts[chat_id, message_id]


async def test_the_only_copy_of_a_text_is_not_deleted_after_its_number_was_dropped() -> None:
    """The sender remembers at most 2,000 message numbers for all private chats together. It drops the lowest
    numbers first."""
    bot = StoringBot()

    async def pause(seconds: float) -> None:
        """Pause no time."""

    sender = MessageSender(cast("Bot", bot), newest=SeenStore(), scripts=SeenStore(), sleep=pause)
    await sender.send(ME, Marked("first"))
    bot.loses = True
    await sender.send(ME, Marked("Take your pills"))
    for number in range(2100):
        await sender.send(OTHER, Marked(f"{number}"))
    await sender.send(ME, Marked("Good morning"))
    assert [text for (chat, _), text in bot.texts.items() if chat == ME.chat_id] == [
        *("first", "Take your pills", "Good morning")
    ]
