"""Chats, people, messages, and the resulting updates. This module does not use HTTP."""

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.stubs.telegram_emulator.faults import RefusedError

BOT = {"id": 999, "is_bot": True, "first_name": "Memory", "username": "memory_bot"}
START = 1_771_204_500
"""2026-02-16 01:15 UTC. By default, each message is a minute later than the previous message."""

SUPERGROUPS_BELOW = -1_000_000_000_000
LONGEST = 4096

Json = dict[str, Any]


def _counter() -> Iterator[int]:
    return itertools.count(1)


@dataclass
class World:
    """The Telegram of one bot. `profiles` are further fields of a person, such as a last name. `changed` is notified of every change. `pace` is the number of seconds between the dates
    of two messages, unless `clock` gives the dates."""

    messages: dict[tuple[int, int], Json] = field(default_factory=dict)
    sent: list[Json] = field(default_factory=list)
    updates: list[Json] = field(default_factory=list)
    toasts: list[str] = field(default_factory=list)
    queries: set[str] = field(default_factory=set)
    actions: list[Json] = field(default_factory=list)
    commands: list[Json] = field(default_factory=list)
    menus: dict[str, list[Json]] = field(default_factory=dict)
    reactions: list[Json] = field(default_factory=list)
    languages: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    profiles: dict[int, Json] = field(default_factory=dict)
    drafts: dict[int, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    blocked: set[int] = field(default_factory=set)
    moved: dict[int, int] = field(default_factory=dict)
    allowed: list[str] | None = None
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _numbers: defaultdict[int, Iterator[int]] = field(default_factory=lambda: defaultdict(_counter))
    _update_numbers: Iterator[int] = field(default_factory=_counter)
    pace: int = 60
    clock: Callable[[], datetime] | None = None
    _now: int = START

    def number(self, chat: int) -> int:
        """The next message number. Supergroups have separate counters; private chats and basic groups share one."""
        return next(self._numbers[chat if chat < SUPERGROUPS_BELOW else 0])

    def _date(self) -> int:
        if self.clock is not None:
            return int(self.clock().timestamp())
        self._now += self.pace
        return self._now

    def message(self, chat: int, sender: Json, **fields: Any) -> Json:
        """Create a new message in a chat."""
        made: Json = {
            "message_id": self.number(chat),
            "date": self._date(),
            "from": sender,
            "chat": chat_of(chat),
            **fields,
        }
        self.messages[chat, made["message_id"]] = made
        return made

    def find(self, chat: int, number: int) -> Json:
        try:
            return self.messages[chat, number]
        except KeyError:
            raise RefusedError("Bad Request: message to edit not found") from None

    async def push(self, kind: str, *contents: Json) -> None:
        """Create updates that the bot fetches together, if it wants updates of this kind. Later edits do not change
        these updates."""
        async with self.changed:
            for content in contents if self.allowed is None or kind in self.allowed else ():
                self.updates.append({"update_id": next(self._update_numbers), kind: deepcopy(content)})
            self.changed.notify_all()

    def check_place(self, chat: int, thread: int | None) -> None:
        """Raise RefusedError for a chat or topic to which the bot cannot write."""
        if chat in self.blocked:
            raise RefusedError("Forbidden: bot was blocked by the user", 403)
        if chat in self.moved:
            raise RefusedError(
                "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=self.moved[chat]
            )
        topic = self.messages.get((chat, thread)) if thread is not None else None
        if thread is not None and (topic is None or "forum_topic_created" not in topic):
            raise RefusedError("Bad Request: message thread not found")


def chat_of(chat: int) -> Json:
    if chat > 0:
        return {"id": chat, "type": "private", "first_name": "Priya"}
    return {"id": chat, "type": "supergroup" if chat < SUPERGROUPS_BELOW else "group", "title": "Group"}


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def check_text(text: str, entities: list[Json]) -> None:
    """Raise RefusedError for a text or entities that the Bot API would refuse."""
    if not text.strip():
        raise RefusedError("Bad Request: message text is empty")
    if units(text) > LONGEST:
        raise RefusedError("Bad Request: message is too long")
    for entity in entities:
        end = entity["offset"] + entity["length"]
        if entity["offset"] < 0 or entity["length"] <= 0 or end > units(text):
            raise RefusedError("Bad Request: entity is out of the text's bounds")


def trimmed(text: str, entities: list[Json]) -> str:
    """The text as Telegram stores it: without blanks at the start and the end. Blanks at the start stay if they are in
    an entity."""
    lead = len(text) - len(text.lstrip())
    return text[min([lead, *(entity["offset"] for entity in entities)]) :].rstrip()


def check_markup(markup: Json | None) -> None:
    """Raise RefusedError for button data that is empty or over 64 bytes."""
    for row in (markup or {}).get("inline_keyboard", ()):
        if any(not 1 <= len(button["callback_data"].encode()) <= 64 for button in row):
            raise RefusedError("Bad Request: BUTTON_DATA_INVALID")
