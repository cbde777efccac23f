"""A Bot API on loopback: what people do in chats, what a bot may do, and every way the network can spoil it."""

from tests.stubs.telegram_emulator.api import BotApi
from tests.stubs.telegram_emulator.faults import (
    DropAfter,
    DropBefore,
    Fault,
    Garbage,
    Hang,
    Refuse,
    slow_down,
    unreadable_markdown,
)
from tests.stubs.telegram_emulator.people import Telegram, telegram

__all__ = [
    "BotApi",
    "DropAfter",
    "DropBefore",
    "Fault",
    "Garbage",
    "Hang",
    "Refuse",
    "Telegram",
    "slow_down",
    "telegram",
    "unreadable_markdown",
]
