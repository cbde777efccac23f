"""Fetches updates by long polling; an update is acknowledged, by the next poll, only when it is taken in."""

import asyncio
import logging
from typing import Any, Protocol

from telegram import Bot, Update
from telegram.error import Conflict, EndPointNotFound, InvalidToken, RetryAfter, TelegramError

from tellonce.client import MemoryUnreachable
from tellonce_relay.stop import Stopped, pause_or_stop, unless_stopped
from tellonce_relay.telegram.outbox import wanted_pause

logger = logging.getLogger(__name__)

KINDS = ("message", "edited_message", "callback_query")
POLL_SECONDS = 25
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Seconds between tries of a Telegram that is away."""

LONGEST_WAIT = 3.0
"""Seconds between tries of a memory that is away: it is on this machine or near."""


TWO = "another program fetches this bot's messages; stop one of the two, or give it a bot of its own"


class Receiver(Protocol):
    """Who deals with updates."""

    def note(self, update: Update) -> None:
        """It was fetched and may wait."""
        ...

    async def take(self, update: Update) -> None:
        """Take it in for good. Raises MemoryUnreachable when it must come again."""
        ...

    def pass_over(self, update_id: int, error: Exception) -> None:
        """It cannot be dealt with, now or later."""
        ...


async def poll(bot: Bot, receiver: Receiver, stop: asyncio.Event) -> None:
    """Until told to stop, or until Telegram does not know the bot any more."""
    offset: int | None = None
    pause = FIRST_PAUSE
    while not stop.is_set():
        try:
            raws = await unless_stopped(stop, _get_updates(bot, offset, POLL_SECONDS, POLL_SECONDS + 10))
            pause = FIRST_PAUSE
        except Stopped:
            break
        except InvalidToken:
            logger.error("Telegram does not know this bot any more")
            return
        except TelegramError as error:
            logger.warning("Telegram does not answer: %s", TWO if isinstance(error, Conflict) else error)
            await pause_or_stop(stop, max(pause, wanted_pause(error) if isinstance(error, RetryAfter) else 0))
            pause = min(LONGEST_PAUSE, pause * 2)
            continue
        offset = await _take_all(bot, raws, receiver, stop, offset)
    await _acknowledge(bot, offset)


async def _take_all(
    bot: Bot, raws: list[dict[str, Any]], receiver: Receiver, stop: asyncio.Event, offset: int | None
) -> int | None:
    """Take them in, in order, as far as that goes; the offset that acknowledges those."""
    updates = [(int(raw["update_id"]) + 1, readable(raw, bot, receiver)) for raw in raws]
    for _, update in updates:
        if update is not None:
            receiver.note(update)
    for after, update in updates:
        if update is not None and not await _taken(update, receiver, stop):
            break
        offset = after
    return offset


async def _get_updates(bot: Bot, offset: int | None, seconds: float, read_timeout: float) -> list[dict[str, Any]]:
    """Updates as they come: one that cannot be read must not hide the others, as it does in the library's own call.

    Lower case, which the Bot API does not mind, keeps the library from advising that call.
    """
    wanted = {"timeout": seconds, "allowed_updates": list(KINDS)} | ({} if offset is None else {"offset": offset})
    try:
        found: list[dict[str, Any]] = await bot.do_api_request("getupdates", wanted, read_timeout=read_timeout)
    except EndPointNotFound as error:
        raise InvalidToken(str(error)) from error
    return found


async def _taken(update: Update, receiver: Receiver, stop: asyncio.Event) -> bool:
    """Whether the update is safe with us. While the memory is away it stays with Telegram."""
    pause = FIRST_PAUSE
    while not stop.is_set():
        try:
            await unless_stopped(stop, receiver.take(update))
        except Stopped:
            break
        except MemoryUnreachable as error:
            logger.warning("update %s waits for the memory: %s", update.update_id, error)
            await pause_or_stop(stop, pause)
            pause = min(LONGEST_WAIT, pause * 2)
        else:
            return True
    return False


async def _acknowledge(bot: Bot, offset: int | None) -> None:
    """So that the next process is not given again what this one took."""
    if offset is None:
        return
    try:
        await _get_updates(bot, offset, 0, 2)
    except TelegramError as error:
        logger.info("the last updates were not acknowledged and will come again: %s", error)


def readable(raw: dict[str, Any], bot: Bot, receiver: Receiver) -> Update | None:
    """The update; None for one this library cannot read, such as a newer kind of message: it is passed over."""
    try:
        return Update.de_json(raw, bot)
    except Exception as error:
        # An edge: whatever the library makes of a strange update, the next ones must come.
        receiver.pass_over(int(raw["update_id"]), error)
        return None
