"""Requests for reminders whose time is missing, and offers to remind of a day that the person named."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.reminders import SetReminderArgs
from tellonce_relay.buttons import Pressed, Reply
from tellonce_relay.catalogue import moment, phrase
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.orders import without_joint, without_polite
from tellonce_relay.turn.reminders import LONGEST_QUOTED, NotSet, only_times, set_by, set_reply
from tellonce_relay.views import without_stamps
from tellonce_text.dates.meanings import coming_day
from tellonce_text.own_words import is_forwarded

Thread = tuple[int, int | None]

PATIENCE: Final = timedelta(hours=1)
"""How long the question when a reminder is due stays open."""

MORNING: Final = timedelta(hours=9)
EARLIER: Final = timedelta(hours=1)
"""How long before an appointment a reminder is offered."""


class ReminderRequests:
    """Carries out requests for reminders. If a time is missing, the next message of the thread may give it. Such a
    request is kept in this process only, so that no text stays outside the memory."""

    def __init__(self, memory: MemoryClient, zone: ZoneInfo, now: Callable[[], datetime]) -> None:
        self._memory = memory
        self._zone = zone
        self._now = now
        self._open: dict[Thread, tuple[datetime, str]] = {}

    async def carry_out(self, thread: Thread, incoming: Incoming, text: str, *, recorded: bool) -> Reply:
        """Set the reminders that the text asks for. `recorded` says that the message is recorded. Raises
        MemoryUnreachable and MemoryRefused."""
        try:
            made = await set_by(self._memory, self._zone, incoming, text, recorded=recorded)
        except NotSet as reason:
            if reason.what:
                self._open[thread] = self._now(), reason.what
            return Reply(str(reason))
        self._open.pop(thread, None)
        return set_reply(made, incoming.sent_at, self._zone)

    def completed(self, thread: Thread, incoming: Incoming, text: str) -> str | None:
        """The whole request if the text only gives the time that the last request did not give."""
        asked, what = self._open.get(thread, (None, ""))
        if asked is None or self._now() - asked > PATIENCE:
            return None
        said = without_polite(text)
        return f"{said}: {what}" if only_times(said, incoming.sent_at, self._zone) else None


def offered(text: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """When to remind of the future day that a statement certainly names: at nine, or an hour before a time of day. None
    for a long or forwarded text, and if that time is near or past."""
    if len(text) > LONGEST_QUOTED or is_forwarded(text):
        return None
    found = coming_day(text, said_at, zone)
    if found is None or found.days[0] != found.days[1]:
        return None
    midnight = found.start.replace(hour=0, minute=0)
    at = midnight + MORNING if found.start == midnight else found.start - EARLIER
    return at if at > said_at + EARLIER else None


def question(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """The question whether to remind at that time."""
    return phrase("reminder.offer", when=moment(at.astimezone(zone), now.astimezone(zone)))


async def accept(memory: MemoryClient, chat_id: int, pressed: Pressed, now: datetime, zone: ZoneInfo) -> Reply:
    """Set the reminder that was offered for a message or, with `item` 1, for a memory. Raises MemoryUnreachable and
    MemoryRefused."""
    message = None if pressed.item else str(pressed.number)
    named = {"memory_id": pressed.number} if message is None else {"message_id": message}
    known = await memory.explain(c.ExplainArgs.model_validate({**named, "chat_id": chat_id}))
    at = offered(known.text, known.at.astimezone(zone), zone)
    if at is None:  # the message was edited
        return Reply(phrase("reminder.asks_when"))
    if at <= now:
        return Reply(phrase("reminder.past", when=moment(at.astimezone(zone), now.astimezone(zone))))
    what = without_joint(without_stamps(known.text))
    args = SetReminderArgs(content=what, at=at, source_message_id=message, chat_id=chat_id)
    return set_reply([await memory.set_reminder(args)], now, zone)
