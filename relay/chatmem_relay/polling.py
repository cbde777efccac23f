"""Fetches updates by long polling; an update is acknowledged, by the next poll, only when it is taken in."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from telegram import Bot, Update
from telegram.error import EndPointNotFound, InvalidToken, RetryAfter, TelegramError

from chatmem.client import MemoryUnreachable
from chatmem_relay.outbox import wanted_pause

logger = logging.getLogger(__name__)

KINDS = ("message", "edited_message", "callback_query")
POLL_SECONDS = 25
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0


async def poll(bot: Bot, take: Callable[[Update], Awaitable[None]], stop: asyncio.Event) -> None:
    """Until told to stop. Raises InvalidToken when Telegram does not know the bot (any more)."""
    offset: int | None = None
    pause = FIRST_PAUSE
    while not stop.is_set():
        try:
            updates = await _fetch(bot, offset, stop)
            pause = FIRST_PAUSE
        except InvalidToken:
            raise
        except TelegramError as error:
            logger.warning("Telegram does not answer: %s", error)
            await pause_or_stop(stop, max(pause, wanted_pause(error) if isinstance(error, RetryAfter) else 0))
            pause = min(LONGEST_PAUSE, pause * 2)
            continue
        for raw in updates:
            update = readable(raw, bot)
            if update is not None and not await _taken(update, take, stop):
                break
            offset = int(raw["update_id"]) + 1
    await _acknowledge(bot, offset)


async def _fetch(bot: Bot, offset: int | None, stop: asyncio.Event) -> list[dict[str, Any]]:
    polling = asyncio.ensure_future(_get_updates(bot, offset, POLL_SECONDS, POLL_SECONDS + 10))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((polling, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if polling.done():
        return polling.result()
    polling.cancel()
    await asyncio.gather(polling, return_exceptions=True)
    return []


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


async def _taken(update: Update, take: Callable[[Update], Awaitable[None]], stop: asyncio.Event) -> bool:
    """Whether the update is safe with us. While the memory is away it stays with Telegram."""
    pause = FIRST_PAUSE
    while True:
        try:
            await take(update)
        except MemoryUnreachable as error:
            logger.warning("update %s waits for the memory: %s", update.update_id, error)
            if not await pause_or_stop(stop, pause):
                return False
            pause = min(LONGEST_PAUSE, pause * 2)
        else:
            return True


async def _acknowledge(bot: Bot, offset: int | None) -> None:
    """So that the next process is not given again what this one took."""
    if offset is None:
        return
    try:
        await _get_updates(bot, offset, 0, 2)
    except TelegramError as error:
        logger.info("the last updates were not acknowledged and will come again: %s", error)


def readable(raw: object, bot: Bot) -> Update | None:
    """The update; None for one this library cannot read, such as a newer kind of message."""
    try:
        return Update.de_json(raw, bot) if isinstance(raw, dict) else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("an update could not be read and is passed over: %r", error)
        return None


async def pause_or_stop(stop: asyncio.Event, seconds: float) -> bool:
    """Wait so long; False when told to stop meanwhile."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return True
    return False
