"""A person in Berlin who uses the bot: the person's Telegram, the bot's memory and clock, and everything that is
stored."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tellonce.reminders import ListRemindersArgs, Reminder
from tellonce_relay.responders.responder import Responder
from tests.memory_fixtures import Clock, Memory, tables_with
from tests.patience import until
from tests.relay.running_relay import relaying
from tests.stubs.telegram_emulator import Telegram

TUESDAY = datetime(2026, 6, 16, 8, 0, tzinfo=UTC)
"""10:00 in Berlin."""

Json = dict[str, Any]


@dataclass
class Day:
    """A running bot. `shown` is the number of the bot's messages that the methods have returned so far."""

    api: Telegram
    clock: Clock
    state: Path
    shown: int = 0

    async def say(self, text: str, **more: Any) -> list[str]:
        """Send a message, wait until it is handled, and return the bot's new messages."""
        await self.api.say(text, **more)
        return await self.new()

    async def say_all(self, *texts: str) -> list[str]:
        """Send messages one by one, each after the answer to the previous message, and return the bot's new
        messages."""
        return [said for text in texts for said in await self.say(text)]

    async def new(self) -> list[str]:
        """Wait until every update is handled, and return the bot's new messages."""
        await self.api.all_fetched()
        await until(lambda: not any((self.state / "inbox").glob("*.json")))
        said = [str(message["text"]) for message in self.api.sent[self.shown :]]
        self.shown = len(self.api.sent)
        return said

    async def press(self, label: str, message: Json | None = None, **more: Any) -> str:
        """Tap a button under a message and return the message's new text. The button must change the message. The
        default is the newest message."""
        tapped = message or self.api.sent[-1]
        before = dict(tapped)
        await self.api.press(tapped, label, **more, until=lambda: tapped != before)
        return str(tapped["text"])

    async def rung(self, text: str, at: datetime) -> Json:
        """Turn the clock to the time and return the reminder that begins with the text."""
        self.clock.at = at
        await self.api.say("/help")  # wakes the alarms
        await self.api.until(lambda: any(m["text"].startswith(f"⏰ {text}") for m in self.api.sent))
        return next(m for m in self.api.sent if m["text"].startswith(f"⏰ {text}"))


@dataclass
class Life:
    """Everything that stays when the bot ends: the memory, Telegram, the clock, and the bot's folder."""

    memory: Memory
    api: Telegram
    clock: Clock
    state: Path

    @asynccontextmanager
    async def day(
        self, responder: Responder | None = None, *, language: str = "en", own: Json | None = None, **more: Any
    ) -> AsyncGenerator[Day]:
        """A bot that runs until the block ends; `own` are settings."""
        self.api.world.languages[42] = language
        settings = {"timezone": self.memory.settings.timezone, **(own or {})}
        running = relaying(
            self.memory, responder, api=self.api, state=self.state, clock=self.clock, own=settings, **more
        )
        async with running:
            yield Day(self.api, self.clock, self.state, len(self.api.sent))

    async def reminders(self, chat: int = 42) -> dict[str, datetime]:
        """The due times of the coming reminders, by the reminders' texts. The texts include the times that the memory
        adds."""
        async with self.memory.relay() as client:
            found = (await client.list_reminders(ListRemindersArgs(chat_id=chat))).reminders
        return {_what(reminder): reminder.due_at for reminder in found}

    async def memories(self) -> list[tuple[str, str]]:
        """The texts of all memories with their status."""
        async with self.memory.tables() as tables:
            rows = await tables.fetch("select content, status from memories order by id")
        return [(row["content"], row["status"]) for row in rows]

    async def tables_with(self, text: str) -> list[str]:
        """The tables that contain a text, ignoring case."""
        async with self.memory.tables() as tables:
            return await tables_with(tables, text)


def _what(reminder: Reminder) -> str:
    content = reminder.memory.content
    return content if reminder.repeats is not None else content[: content.rindex(" (")]


def forwarded(name: str) -> Json:
    """The field of a message that was forwarded from a person who hides their account."""
    return {"forward_origin": {"type": "hidden_user", "date": int(TUESDAY.timestamp()) - 99, "sender_user_name": name}}
