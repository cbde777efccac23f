"""What the bot works with."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from telegram import Bot

from tellonce.journal import Emit, silent
from tellonce.settings import RelaySettings
from tellonce_relay.access import is_own
from tellonce_relay.agents import Agents
from tellonce_relay.answers import Desk
from tellonce_relay.inbox import Inbox
from tellonce_relay.model_call import PATIENT, Persistence
from tellonce_relay.moved_groups import MovedGroups
from tellonce_relay.notebook import Notebook
from tellonce_relay.outbox import Outbox
from tellonce_relay.senses import Senses

AWAY_SECONDS = 6.0
"""A memory that restarts is back sooner; of a longer outage the person hears once."""

OWED_PAUSES = (15.0, 300.0)
"""The shortest and the longest time before a model that stays away is asked for an owed answer again."""


@dataclass(frozen=True)
class Equipment:
    """`parts`, `asked` and `told` are what the bot notes across restarts: the parts of long answers, the memories the person
    was asked about, and what they were told once."""

    bot: Bot
    settings: RelaySettings
    outbox: Outbox
    desk: Desk
    agents: Agents
    inbox: Inbox
    moved: MovedGroups
    parts: Notebook
    asked: Notebook
    senses: Senses
    told: Notebook = field(default_factory=Notebook)
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
        """The default user's own words about themselves, where they may be spoken of."""
        return self.profile if is_own(chat_id, self.settings) else ""
