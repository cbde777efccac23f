"""Sends to Telegram: waits when told to, tries again what was not done, and sends nothing twice as far as can be known."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import httpx
from telegram import Bot, ForceReply, InlineKeyboardMarkup, LinkPreviewOptions, Message, MessageEntity, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, NetworkError, RetryAfter, TelegramError

from chatmem_relay.markdown import Marked
from chatmem_relay.moved_groups import MovedGroups

logger = logging.getLogger(__name__)

TRIES = 6
FIRST_PAUSE = 0.5
LONGEST_WAIT = 600.0
"""Seconds: a longer slowdown is not waited out."""

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

Markup = InlineKeyboardMarkup | ForceReply
ResultT = TypeVar("ResultT")
Sleep = Callable[[float], Awaitable[None]]


class NotSent(Exception):
    """Telegram did not take the message."""


class SlowDown(Exception):
    """Telegram wants us to wait; for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"wait {seconds:g} s")
        self.seconds = seconds


class AnswerLost(Exception):
    """Telegram's answer did not come: the message may be there or not. Sending it again could show it twice."""


@dataclass(frozen=True)
class Address:
    """Where a message goes: a chat, perhaps a topic, perhaps as a reply."""

    chat_id: int
    thread_id: int | None = None
    reply_to: int | None = None


class Outbox:
    """Safe to share between tasks."""

    def __init__(self, bot: Bot, moved: MovedGroups | None = None, sleep: Sleep = asyncio.sleep) -> None:
        self._bot = bot
        self._moved = moved or MovedGroups(None)
        self._sleep = sleep

    async def typing(self, to: Address) -> None:
        """Best effort."""
        try:
            await self._bot.send_chat_action(to.chat_id, ChatAction.TYPING, message_thread_id=to.thread_id)
        except TelegramError as error:
            logger.info("typing was not shown: %s", error)

    async def send(self, to: Address, what: Marked, markup: Markup | None = None) -> int:
        """One message; its number. Raises NotSent, or AnswerLost when nobody can know whether it is there."""
        try:
            return await self._patiently(lambda: self._send(to, what, markup), repeatable=False)
        except BadRequest as error:
            return await self._plainer(to, what, markup, error)
        except ChatMigrated as error:
            self._moved.moved(to.chat_id, error.new_chat_id)
            return await self.send(Address(error.new_chat_id), what, markup)
        except TelegramError as error:
            raise NotSent(str(error)) from error

    async def sketch(self, to: Address, what: Marked, message_id: int | None) -> int:
        """Show or change a draft, once, in haste. Raises SlowDown, NotSent and, for a new one, AnswerLost."""
        try:
            if message_id is None:
                return await _told_apart(lambda: self._send(to, what, None))
            await _told_apart(lambda: self._edit(to.chat_id, message_id, what, None))
        except RetryAfter as refusal:
            raise SlowDown(wanted_pause(refusal)) from refusal
        except TelegramError as error:
            raise NotSent(str(error)) from error
        return message_id

    async def edit(
        self, chat_id: int, message_id: int, what: Marked, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Change a message's text. Doing it again does no harm, so a lost answer is tried again. Raises NotSent."""
        try:
            await self._patiently(lambda: self._edit(chat_id, message_id, what, markup), repeatable=True)
        except BadRequest as error:
            if "not modified" in str(error).lower():
                return
            if not what.marks:
                raise NotSent(str(error)) from error
            await self.edit(chat_id, message_id, Marked(what.text), markup)
        except (TelegramError, AnswerLost) as error:
            raise NotSent(str(error)) from error

    async def _plainer(self, to: Address, what: Marked, markup: Markup | None, error: BadRequest) -> int:
        """What Telegram refused, without the part it most likely refused."""
        reason = str(error).lower()
        if "thread not found" in reason and to.thread_id is not None:
            return await self.send(Address(to.chat_id, None, to.reply_to), what, markup)
        if what.marks:
            return await self.send(to, Marked(what.text), markup)
        raise NotSent(str(error)) from error

    async def _send(self, to: Address, what: Marked, markup: Markup | None) -> int:
        reply = ReplyParameters(to.reply_to, allow_sending_without_reply=True) if to.reply_to is not None else None
        sent = await self._bot.send_message(
            to.chat_id,
            what.text,
            entities=entities(what),
            message_thread_id=to.thread_id,
            reply_parameters=reply,
            reply_markup=markup,
            link_preview_options=_NO_PREVIEW,
        )
        return sent.message_id

    async def _edit(
        self, chat_id: int, message_id: int, what: Marked, markup: InlineKeyboardMarkup | None
    ) -> Message | bool:
        return await self._bot.edit_message_text(
            what.text,
            chat_id,
            message_id,
            entities=entities(what),
            reply_markup=markup,
            link_preview_options=_NO_PREVIEW,
        )

    async def _patiently(self, call: Callable[[], Awaitable[ResultT]], *, repeatable: bool) -> ResultT:
        pause = FIRST_PAUSE
        for _ in range(TRIES - 1):
            try:
                return await _told_apart(call)
            except RetryAfter as refusal:
                await self._wait_out(refusal)
            except AnswerLost:
                if not repeatable:
                    raise
                await self._sleep(pause * random.uniform(0.5, 1.0))
            except NetworkError as error:
                if isinstance(error, BadRequest):
                    raise
                logger.info("Telegram did not take it: %s", error)
                await self._sleep(pause * random.uniform(0.5, 1.0))
            pause *= 2
        return await _told_apart(call)

    async def _wait_out(self, refusal: RetryAfter) -> None:
        seconds = wanted_pause(refusal)
        if seconds > LONGEST_WAIT:
            raise refusal
        await self._sleep(seconds)


def wanted_pause(refusal: RetryAfter) -> float:
    """Seconds Telegram wants us to wait."""
    wait: int | timedelta = refusal.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def entities(what: Marked) -> list[MessageEntity] | None:
    """The marks as Telegram's entities."""
    return [
        MessageEntity(mark.kind, mark.offset, mark.length, url=mark.url, language=mark.language) for mark in what.marks
    ] or None


async def _told_apart(call: Callable[[], Awaitable[ResultT]]) -> ResultT:
    """The call's result; a transport failure after the request was out becomes AnswerLost.

    A refusal that came back, an error 5xx included, says that nothing was sent.
    """
    try:
        return await call()
    except (BadRequest, RetryAfter, ChatMigrated):
        raise
    except NetworkError as error:
        cause = error.__cause__
        if isinstance(cause, httpx.HTTPError) and not isinstance(cause, _NEVER_SENT):
            raise AnswerLost(str(error)) from error
        raise
    except TelegramError as error:
        if "invalid server response" in str(error).lower():
            raise AnswerLost(str(error)) from error
        raise
