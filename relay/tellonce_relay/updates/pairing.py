"""Finds the bot's owner by a link that is shown only to the owner. Pairing writes no settings."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from telegram import Bot, Message, User
from telegram.error import InvalidToken, TelegramError

from tellonce.shutdown import pause_or_stop
from tellonce_relay.catalogue import language_of, phrase, use_language
from tellonce_relay.updates.polling import FIRST_PAUSE, KINDS, LONGEST_PAUSE

logger = logging.getLogger(__name__)

POLL_SECONDS = 20


@dataclass(frozen=True)
class Pairing:
    """A pairing. `code` works for one person, and only while `wait_for_user` runs."""

    bot: Bot
    code: str

    @property
    def link(self) -> str:
        return f"https://t.me/{self.bot.username}?start={self.code}"


async def create_pairing(bot: Bot) -> Pairing:
    """Create the link. Raises TelegramError, and InvalidToken for a token that Telegram does not know."""
    await bot.get_me()
    await bot.delete_webhook()
    return Pairing(bot, secrets.token_urlsafe(16))


async def wait_for_user(
    pairing: Pairing, stop: asyncio.Event, leaves_memory: Callable[[int], Awaitable[bool]]
) -> User | None:
    """Greet and return the user who opens the link. `leaves_memory` adds a warning to the greeting."""
    offset, pause = 0, FIRST_PAUSE
    while not stop.is_set():
        try:
            updates = await pairing.bot.get_updates(offset, timeout=POLL_SECONDS, allowed_updates=KINDS)
            pause = FIRST_PAUSE
        except InvalidToken:
            raise
        except TelegramError as error:
            logger.info("Telegram does not answer: %s", error)
            await pause_or_stop(stop, pause)
            pause = min(LONGEST_PAUSE, pause * 2)
            continue
        for update in updates:
            offset = update.update_id + 1
            user = _user_of_link(pairing, update.message)
            if user is not None:
                await _welcome(pairing.bot, user, offset, warned=await leaves_memory(user.id))
                return user
    return None


def _user_of_link(pairing: Pairing, message: Message | None) -> User | None:
    if message is None or message.from_user is None or message.chat.id != message.from_user.id:
        return None
    command, _, code = (message.text or "").partition(" ")
    right = secrets.compare_digest(code.strip().encode(), pairing.code.encode())
    return message.from_user if command == "/start" and right else None


async def _welcome(bot: Bot, user: User, offset: int, *, warned: bool) -> None:
    """The update is acknowledged, so that the next relay does not read the code."""
    with use_language(language_of(user.language_code)):
        paragraphs = [phrase("start.paired"), phrase("start.greeting", name=user.first_name)]
        paragraphs += [phrase("start.left_behind")] if warned else []
    try:
        await bot.get_updates(offset, timeout=0, allowed_updates=KINDS)
        await bot.send_message(user.id, "\n\n".join(paragraphs))
    except TelegramError as error:
        logger.warning("the new user could not be greeted: %s", error)
