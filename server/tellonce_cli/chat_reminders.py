"""The reminders of the terminal chat. They are the same reminders as in the user's private chat with the bot.

If there is a bot, the bot delivers the reminders. While the terminal is open, it also shows each reminder that becomes
due. Without a bot, the terminal delivers them.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings
from tellonce.reminders import ChangeReminderArgs, ClaimRemindersArgs, ListRemindersArgs, Reminder
from tellonce.shutdown import pause_or_stop
from tellonce_cli.memory_server import CHANNEL, OURS
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.turn import reminders

LONGEST_NAP: Final = 15.0
"""Maximum seconds until the terminal notices a reminder that was set elsewhere."""

LEAD: Final = timedelta(seconds=1)
"""If a bot delivers the reminders, the terminal reads each reminder a little before its due time. At the due time, the
bot may already have finished the reminder."""


@dataclass
class ChatReminders:
    """The reminders of one chat. `opened` is the time at which the terminal chat started. `show` prints a text, even
    while the user types. `delivers` means that the terminal delivers the reminders, because no bot does."""

    memory: MemoryClient
    zone: ZoneInfo
    show: Callable[[str], None]
    now: Callable[[], datetime]
    delivers: bool
    opened: datetime
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _worker: str = field(default_factory=lambda: f"{CHANNEL}:{secrets.token_hex(8)}")
    _shown: set[tuple[int, datetime]] = field(default_factory=set)
    _listed: tuple[Reminder, ...] = ()

    async def set(self, incoming: Incoming, text: str, *, recorded: bool = False) -> tuple[str, Sequence[Reminder]]:
        """Set the reminders that `text` requests. Returns the answer to the user, and the reminders that were set."""
        try:
            made = await reminders.set_by(self.memory, self.zone, incoming, text, recorded=recorded)
        except reminders.NotSet as reason:
            return str(reason), ()
        self.changed.set()
        return reminders.set_reply(made, incoming.sent_at, self.zone).text, made

    async def accept(self, about: Incoming, offer: Sequence[reminders.Wanted]) -> tuple[str, Sequence[Reminder]]:
        """Set the reminders that were offered for a recorded message, as `set` does."""
        made = [await self.memory.set_reminder(one.args(about, recorded=True)) for one in offer]
        self.changed.set()
        return reminders.set_reply(made, about.sent_at, self.zone).text, made

    async def listed(self, incoming: Incoming) -> str:
        """A numbered list of all upcoming reminders."""
        self._listed = (await reminders.coming(self.memory, incoming))[: reminders.MOST_LISTED]
        return reminders.list_reply(self._listed, incoming.sent_at, self.zone).text

    async def cancel(self, number: str) -> str:
        """Cancel a reminder by its number in the last list."""
        place = int(number) if number.isascii() and number.isdecimal() else 0
        if not 0 < place <= len(self._listed):
            return "Which one? /reminders lists them; /cancel 1 cancels the first."
        return await self.take_back(self._listed[place - 1].memory.id)

    async def take_back(self, memory_id: int) -> str:
        args = ChangeReminderArgs(memory_id=memory_id, action="cancel")
        return phrase("reminder.cancelled", what=reminders.what_of(await self.memory.change_reminder(args)))

    async def restore(self, memory_id: int) -> None:
        await self.memory.change_reminder(ChangeReminderArgs(memory_id=memory_id, action="restore"))

    async def keep(self) -> None:
        """Show each reminder when it is due, until this task is cancelled."""
        while True:
            self.changed.clear()
            try:
                next_at = await (self.deliver_due() if self.delivers else self.show_due())
            except (MemoryRefused, MemoryUnreachable):
                next_at = None  # the user sees the error at the next line they type
            until = (next_at - self.now()).total_seconds() if next_at is not None else LONGEST_NAP
            await pause_or_stop(self.changed, min(LONGEST_NAP, until))

    async def deliver_due(self) -> datetime | None:
        """Show and finish all due reminders. Returns the time of the next reminder."""
        claimed = await self.memory.claim_reminders(ClaimRemindersArgs(worker=self._worker))
        for reminder in claimed.reminders:
            text = self._text(reminder)
            self.show(text)
            await self._record(text)
            await reminders.finish(self.memory, reminder, self.now(), self.zone)
        return claimed.next_at

    async def show_due(self) -> datetime | None:
        """Show the reminders that the bot delivers now. Returns the time at which to check again."""
        coming = (await self.memory.list_reminders(ListRemindersArgs())).reminders
        news = [r for r in coming if r.due_at >= self.opened and (r.memory.id, r.due_at) not in self._shown]
        for reminder in (r for r in news if r.due_at <= self.now() + LEAD):
            await asyncio.sleep((reminder.due_at - self.now()).total_seconds())
            self._shown.add((reminder.memory.id, reminder.due_at))
            self.show(self._text(reminder))
        later = [r.due_at - LEAD for r in news if (r.memory.id, r.due_at) not in self._shown]
        return min(later, default=None)

    def _text(self, reminder: Reminder) -> str:
        return reminders.due_text(reminder, self.zone, late=self.now() - reminder.due_at > reminders.LATE)

    async def _record(self, text: str) -> None:
        """Record the delivered reminder as a message, so that the user can answer it with "done"."""
        args = c.RecordMessageArgs(
            role="assistant",
            content=text,
            message_id=f"{CHANNEL}:{secrets.token_hex(8)}",
            sent_at=self.now().astimezone(self.zone),
            channel=CHANNEL,
            routine=reminders.ROUTINE,
        )
        await self.memory.record_message(args)


def terminal_delivers(settings: RelaySettings) -> bool:
    """Whether the terminal delivers reminders. The terminal delivers them if no bot can. A bot can deliver them if
    these settings configure a bot. The machine of a remote server can have a bot, too."""
    return settings.bot_token is None and urlsplit(settings.url).hostname in OURS
