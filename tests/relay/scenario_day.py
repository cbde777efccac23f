"""A person's day in Berlin with the bot: their Telegram, the bot's memory and clock, and everything that is stored."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tellonce.reminders import ListRemindersArgs, Reminder
from tellonce_relay.responders.responder import Responder
from tests.memory_fixtures import Clock, Memory, tables_with
from tests.patience import HANGS
from tests.relay.running_relay import relaying
from tests.stubs.telegram_emulator import Telegram, telegram

TUESDAY = datetime(2026, 6, 16, 8, 0, tzinfo=UTC)
"""10:00 in Berlin."""


@dataclass
class Day:
    """One running bot. `shown` is the number of the bot's messages that `say` has returned."""

    api: Telegram
    memory: Memory
    clock: Clock
    state: Path
    shown: int = 0

    async def say(self, text: str, **more: Any) -> list[str]:
        """Send a message, wait until it is handled, and return the bot's new messages."""
        await self.api.say(text, **more)
        return await self.new()

    async def new(self) -> list[str]:
        """Wait until every update is handled, and return the bot's new messages."""
        await self.settled()
        said = [str(message["text"]) for message in self.api.sent[self.shown :]]
        self.shown = len(self.api.sent)
        return said

    async def settled(self) -> None:
        """Wait until every update is handled, every button's tap included."""
        await self.api.all_fetched()
        await self.api.until(lambda: not self.api.world.queries)
        async with asyncio.timeout(HANGS):
            while any((self.state / "inbox").glob("*.json")):  # noqa: ASYNC110 - a file's removal sends no event
                await asyncio.sleep(0.005)

    async def press(self, label: str, message: int = -1, **more: Any) -> str:
        """Tap a button under one of the bot's messages, by default the newest, and return the message's new text."""
        tapped = self.api.sent[message]
        before = dict(tapped)
        await self.api.press(tapped, label, **more)
        await self.api.until(lambda: tapped != before)
        return str(tapped["text"])

    async def reminders(self, chat: int = 42) -> tuple[Reminder, ...]:
        async with self.memory.relay() as client:
            return (await client.list_reminders(ListRemindersArgs(chat_id=chat))).reminders

    async def tables_with(self, text: str) -> list[str]:
        """The tables that contain a text, in any case of its letters."""
        async with self.memory.tables() as tables:
            return await tables_with(tables, text)


@asynccontextmanager
async def day(
    memory: Memory,
    clock: Clock,
    state: Path,
    responder: Responder | None = None,
    *,
    language: str = "en",
    api: Telegram | None = None,
    own: dict[str, Any] | None = None,
    **more: Any,
) -> AsyncGenerator[Day]:
    """The bot of this memory. `state` outlives it, and `api` may, too."""
    async with telegram() as emulated:
        emulated = api or emulated
        emulated.world.clock = clock
        emulated.world.languages.setdefault(42, language)
        settings = {"timezone": memory.settings.timezone, **(own or {})}
        async with relaying(memory, responder, api=emulated, state=state, clock=clock, own=settings, **more):
            yield Day(emulated, memory, clock, state, len(emulated.sent))
