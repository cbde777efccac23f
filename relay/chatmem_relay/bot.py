"""The Telegram bot: takes updates in, one by one and for good, and answers each in its lane's order."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from telegram import Bot, BotCommand, CallbackQuery, Message, Update
from telegram.error import TelegramError

from chatmem.client import MemoryClient, MemoryRefused, MemoryUnreachable
from chatmem.settings import RelaySettings
from chatmem_relay import buttons, commands
from chatmem_relay.chat_surface import ChatSurface
from chatmem_relay.incoming import Incoming
from chatmem_relay.order import Lanes
from chatmem_relay.responders.responder import Responder
from chatmem_relay.telegram_facts import incoming, may_talk
from chatmem_relay.turn import MEMORY_DOWN, Manner, answer, record_incoming

logger = logging.getLogger(__name__)

KINDS = ["message", "edited_message", "callback_query"]
POLL_SECONDS = 25
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
DRAIN_SECONDS = 5.0


class Relay:
    def __init__(self, bot: Bot, memory: MemoryClient, responder: Responder, settings: RelaySettings) -> None:
        self._bot = bot
        self._memory = memory
        self._responder = responder
        self._settings = settings
        self._lanes = Lanes()
        self._manner = manner(settings)

    async def run(self, stop: asyncio.Event) -> None:
        """Poll until told to stop. An update is acknowledged, by the next poll, only when its message is recorded."""
        await self._introduce()
        offset: int | None = None
        pause = FIRST_PAUSE
        while not stop.is_set():
            try:
                updates = await self._poll(offset, stop)
                pause = FIRST_PAUSE
            except TelegramError as error:
                logger.warning("Telegram does not answer: %s", error)
                await _sleep(stop, pause)
                pause = min(LONGEST_PAUSE, pause * 2)
                continue
            for update in updates:
                if not await self._taken(update, stop):
                    break
                offset = update.update_id + 1
        await self._lanes.drain(DRAIN_SECONDS)

    async def _introduce(self) -> None:
        try:
            await self._bot.set_my_commands([BotCommand(name, text) for name, text in commands.MENU])
        except TelegramError as error:
            logger.warning("the command menu was not set: %s", error)

    async def _poll(self, offset: int | None, stop: asyncio.Event) -> tuple[Update, ...]:
        polling = asyncio.ensure_future(
            self._bot.get_updates(offset=offset, timeout=POLL_SECONDS, allowed_updates=KINDS)
        )
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait((polling, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if polling.done():
            return polling.result()
        polling.cancel()
        return ()

    async def _taken(self, update: Update, stop: asyncio.Event) -> bool:
        """Whether the update is safe with us. While the memory is away it stays with Telegram."""
        pause = FIRST_PAUSE
        while True:
            try:
                await self._take(update)
            except MemoryUnreachable as error:
                logger.warning("update %s waits for the memory: %s", update.update_id, error)
                if not await _sleep(stop, pause):
                    return False
                pause = min(LONGEST_PAUSE, pause * 2)
            except MemoryRefused as error:
                logger.warning("update %s was refused: %s", update.update_id, error)
                return True
            else:
                return True

    async def _take(self, update: Update) -> None:
        if update.callback_query is not None:
            query = update.callback_query
            self._lanes.submit(("button", query.from_user.id), lambda: self._press(query))
        message = update.message or update.edited_message
        if message is None or not may_talk(message, self._settings):
            return
        told = incoming(message, self._settings)
        if told is None:
            return
        if update.message is not None and told.text.startswith("/"):
            self._submit(message, told, lambda surface: self._command(surface, told))
            return
        trace_id = secrets.token_hex(16)
        recorded = await record_incoming(self._memory, told, trace_id)
        if recorded.outcome == "created" and update.message is not None:
            self._submit(message, told, lambda surface: self._answer(surface, told, trace_id))

    def _submit(self, message: Message, told: Incoming, work: Callable[[ChatSurface], Any]) -> None:
        reply_to = message.message_id if told.reply_to_message_id is not None or message.chat.id < 0 else None
        surface = ChatSurface(self._bot, message.chat.id, told.message_thread_id, reply_to)
        lane = (message.chat.id, told.message_thread_id)
        self._lanes.submit(lane, lambda: work(surface))

    async def _answer(self, surface: ChatSurface, told: Incoming, trace_id: str) -> None:
        await answer(self._memory, self._responder, surface, told, self._manner, trace_id)

    async def _command(self, surface: ChatSurface, told: Incoming) -> None:
        try:
            if not await commands.run(self._memory, surface, told):
                await surface.send("I don't know that command; /help lists them.")
        except MemoryUnreachable:
            await surface.send(MEMORY_DOWN)
        except MemoryRefused as error:
            await surface.send(str(error))

    async def _press(self, query: CallbackQuery) -> None:
        press = buttons.read(query.data or "")
        chat = query.message.chat.id if query.message is not None else query.from_user.id
        if press is None or query.from_user.id not in self._settings.user_ids:
            await query.answer()
            return
        try:
            text = await commands.pressed(self._memory, chat, press)
        except (MemoryUnreachable, MemoryRefused) as error:
            text = str(error)
        await query.answer(text[:180])
        if isinstance(query.message, Message):
            await query.message.edit_text(text)


def manner(settings: RelaySettings) -> Manner:
    file = settings.config_dir / "profile.md"
    profile = file.read_text() if file.exists() else ""
    return Manner(zone=ZoneInfo(settings.timezone), now=lambda: datetime.now(UTC), profile=profile)


async def _sleep(stop: asyncio.Event, seconds: float) -> bool:
    """False when told to stop meanwhile."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return True
    return False
