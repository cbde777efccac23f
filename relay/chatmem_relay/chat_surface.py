"""A Telegram chat as the turn's surface: typing, a streamed draft that is edited, and the final messages."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from telegram import Bot, InlineKeyboardMarkup, Message
from telegram.constants import ChatAction, ParseMode
from telegram.error import BadRequest, RetryAfter, TelegramError

from chatmem_relay.markdown import split

logger = logging.getLogger(__name__)

EDIT_SECONDS = 1.0
"""Between two edits of a streamed answer: Telegram slows down who edits faster."""

RETRIES = 5
LONGEST_WAIT = 60.0

ResultT = TypeVar("ResultT")


class ChatSurface:
    def __init__(self, bot: Bot, chat_id: int, thread_id: int | None, reply_to: int | None = None) -> None:
        self._bot = bot
        self._chat_id = chat_id
        self._thread_id = thread_id
        self._reply_to = reply_to
        self._draft: Message | None = None
        self._shown = ""
        self._edited = 0.0

    async def typing(self) -> None:
        try:
            await self._bot.send_chat_action(self._chat_id, ChatAction.TYPING, message_thread_id=self._thread_id)
        except TelegramError as error:
            logger.info("typing was not shown: %s", error)

    async def show_partial(self, text: str) -> None:
        """Best effort: a draft that fails costs nothing, the whole answer is still to come."""
        now = time.monotonic()
        if not text or text == self._shown or now - self._edited < EDIT_SECONDS or len(text) > 4000:
            return
        self._edited, self._shown = now, text
        try:
            if self._draft is None:
                self._draft = await self._bot.send_message(
                    self._chat_id, text, message_thread_id=self._thread_id, reply_to_message_id=self._reply_to
                )
            else:
                await self._draft.edit_text(text)
        except TelegramError as error:
            logger.info("a draft was not shown: %s", error)

    async def send(self, text: str) -> list[str]:
        """The whole text, in as many messages as it takes; the draft becomes the first of them."""
        first, *rest = split(text)
        messages = [await self._finish(first)]
        for part in rest:
            messages.append(await self._send(part))
        return [str(message.message_id) for message in messages]

    async def send_with_buttons(self, text: str, buttons: InlineKeyboardMarkup) -> None:
        await self._retried(
            lambda: self._bot.send_message(self._chat_id, text, message_thread_id=self._thread_id, reply_markup=buttons)
        )

    async def _finish(self, text: str) -> Message:
        draft = self._draft
        if draft is None:
            return await self._send(text)
        edited = await self._formatted(lambda mode: draft.edit_text(text, parse_mode=mode))
        return edited if isinstance(edited, Message) else draft

    async def _send(self, text: str) -> Message:
        return await self._formatted(
            lambda mode: self._bot.send_message(
                self._chat_id,
                text,
                parse_mode=mode,
                message_thread_id=self._thread_id,
                reply_to_message_id=self._reply_to,
            )
        )

    async def _formatted(self, call: Callable[[str | None], Awaitable[ResultT]]) -> ResultT:
        """Markdown if Telegram can read it, else the plain text."""
        try:
            return await self._retried(lambda: call(ParseMode.MARKDOWN))
        except BadRequest as error:
            if "not modified" in str(error).lower():
                raise
            return await self._retried(lambda: call(None))

    async def _retried(self, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        """Only a refusal that names a wait is tried again: a lost answer may have had its effect."""
        for _ in range(RETRIES):
            try:
                return await call()
            except RetryAfter as refusal:
                wait = refusal.retry_after
                seconds = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
                await asyncio.sleep(min(seconds, LONGEST_WAIT))
        return await call()
