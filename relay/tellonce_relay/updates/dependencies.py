"""The dependencies of the bot."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from telegram import Bot

from tellonce.client_settings import RelaySettings
from tellonce.journal import Emit, silent
from tellonce_relay.commands.answers import CommandContext
from tellonce_relay.stores import Stores
from tellonce_relay.telegram.attachment_reader import AttachmentReader
from tellonce_relay.telegram.message_sender import MessageSender
from tellonce_relay.turn.agents import Agents
from tellonce_relay.turn.model_call import PATIENT, Persistence
from tellonce_relay.updates.access import is_own
from tellonce_relay.updates.inbox import Inbox

AWAY_SECONDS = 6.0
"""A restarting memory is available again within this many seconds; a longer outage is reported once."""

OWED_PAUSES = (15.0, 300.0)
"""Minimum and maximum seconds before an unavailable model is asked again for an answer that the bot still owes."""


@dataclass(frozen=True)
class Dependencies:
    """The objects and settings that the bot uses."""

    bot: Bot
    settings: RelaySettings
    sender: MessageSender
    command_context: CommandContext
    agents: Agents
    inbox: Inbox
    stores: Stores
    attachment_reader: AttachmentReader
    wake_alarms: asyncio.Event = field(default_factory=asyncio.Event)
    profile: str = ""
    emit: Emit = silent
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    away_seconds: float = AWAY_SECONDS
    drain_seconds: float = 5.0
    owed_pauses: tuple[float, float] = OWED_PAUSES
    persistence: Persistence = PATIENT
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.settings.timezone)

    def profile_at(self, chat_id: int) -> str:
        """The default user's own profile text; empty in chats that may not use it."""
        return self.profile if is_own(chat_id, self.settings) else ""
