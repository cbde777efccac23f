"""Fetches updates by long polling. An update is acknowledged by the next poll after the update was accepted."""

import asyncio
import logging
from typing import Any, Protocol

from telegram import Bot, Update
from telegram.error import Conflict, EndPointNotFound, InvalidToken, RetryAfter, TelegramError

from tellonce.client import MemoryUnreachable
from tellonce.shutdown import Stopped, pause_or_stop, unless_stopped
from tellonce_relay.telegram.message_sender import wanted_pause

logger = logging.getLogger(__name__)

KINDS = ("message", "edited_message", "callback_query")
POLL_SECONDS = 25
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Maximum seconds between attempts during an outage of Telegram."""

LONGEST_WAIT = 3.0
"""Maximum seconds between attempts during an outage of the memory, which is on this machine or nearby."""


TWO = "another program fetches this bot's messages; stop one of the two, or create a separate bot for it"


class Receiver(Protocol):
    """Handles updates."""

    def note(self, update: Update) -> None:
        """Record that an update was fetched. An update may be fetched some time before it is accepted."""
        ...

    async def take(self, update: Update) -> None:
        """Accept an update. Raises MemoryUnreachable if the update must be delivered again."""
        ...

    def pass_over(self, update_id: int, error: Exception) -> None:
        """Skip an update that cannot be handled now or later."""
        ...

    def contested(self) -> None:
        """Record that another program fetches the bot's updates. Each update reaches only one of the two programs."""
        ...


async def poll(bot: Bot, receiver: Receiver, stop: asyncio.Event) -> None:
    """Poll until stopped, or until Telegram no longer knows the bot."""
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
            if isinstance(error, Conflict):
                receiver.contested()
            logger.warning("Telegram does not answer: %s", TWO if isinstance(error, Conflict) else error)
            await pause_or_stop(stop, max(pause, wanted_pause(error) if isinstance(error, RetryAfter) else 0))
            pause = min(LONGEST_PAUSE, pause * 2)
            continue
        offset = await _take_all(bot, raws, receiver, stop, offset)
    await _acknowledge(bot, offset)


async def _take_all(
    bot: Bot, raws: list[dict[str, Any]], receiver: Receiver, stop: asyncio.Event, offset: int | None
) -> int | None:
    """Accept the updates up to the first that must wait. Returns the offset that acknowledges them."""
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
    """The updates as raw JSON. In the library's own method, one unreadable update would lose all updates. The name
    `getupdates` is in lower case, because the library warns about the usual spelling `getUpdates`."""
    wanted = {"timeout": seconds, "allowed_updates": list(KINDS)} | ({} if offset is None else {"offset": offset})
    try:
        found: list[dict[str, Any]] = await bot.do_api_request("getupdates", wanted, read_timeout=read_timeout)
    except EndPointNotFound as error:
        raise InvalidToken(str(error)) from error
    return found


async def _taken(update: Update, receiver: Receiver, stop: asyncio.Event) -> bool:
    """False if `stop` is set before. During an outage of the memory, the update stays with Telegram."""
    pause = FIRST_PAUSE
    while not stop.is_set():
        try:
            await unless_stopped(stop, receiver.take(update))
        except Stopped:
            break
        except MemoryUnreachable as error:
            logger.warning("the memory is unavailable, so update %s stays with Telegram: %s", update.update_id, error)
            await pause_or_stop(stop, pause)
            pause = min(LONGEST_WAIT, pause * 2)
        else:
            return True
    return False


async def _acknowledge(bot: Bot, offset: int | None) -> None:
    if offset is None:
        return
    try:
        await _get_updates(bot, offset, 0, 2)
    except TelegramError as error:
        logger.info("the last updates were not acknowledged and will be delivered again: %s", error)


def readable(raw: dict[str, Any], bot: Bot, receiver: Receiver) -> Update | None:
    """The parsed update. One that the library cannot parse is skipped, and the result is None."""
    try:
        return Update.de_json(raw, bot)
    except Exception as error:
        # Any parsing error is caught here, because the next updates must still be handled.
        receiver.pass_over(int(raw["update_id"]), error)
        return None
