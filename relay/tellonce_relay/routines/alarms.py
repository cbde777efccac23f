"""Delivers due reminders, each exactly once even if processes are killed. This module does not know how reminders are
set.

The server hands out due reminders. A note is stored before a message is sent, and the message's number is added to the
note afterwards. If a process finds a note without the number, it checks whether the message has arrived. If not, the
process sends the message again.
"""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from telegram.error import TelegramError

from tellonce import contract as c
from tellonce import tracing
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.reminders import ClaimRemindersArgs, Reminder
from tellonce_relay import buttons
from tellonce_relay.catalogue import language_of, use_language
from tellonce_relay.memory_outage import FOREVER, with_retries
from tellonce_relay.routines.delivery import DeliveryContext
from tellonce_relay.telegram.markdown import Marked
from tellonce_relay.telegram.message_sender import Address, AnswerLost, NotSent, error_text
from tellonce_relay.telegram.messages import CHANNEL
from tellonce_relay.turn.reminders import LATE, ROUTINE, due_text, finish

logger = logging.getLogger(__name__)

LONGEST_NAP: Final = 15.0
"""Maximum seconds of a pause. During a longer pause, a changed clock or another process's reminder could be missed."""

SHORTEST_NAP: Final = 0.05

GIVEN_UP: Final = timedelta(days=1)
"""A reminder that Telegram refuses is dropped after this delay. It is not dropped if its chat accepts no messages from
the bot at all."""

_BEFORE, _SENT = "after:", "sent:"


@dataclass
class Alarms:
    """Delivers reminders. Setting `wake` ends a pause."""

    delivery: DeliveryContext
    worker: str
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    async def settle(self) -> None:
        """Complete the deliveries that the last process did not finish. Call this before anything else is sent."""
        if any(note.startswith(_BEFORE) for _, note in self.delivery.stores.alarms.items()):
            await with_retries(self.deliver_due, FOREVER)

    async def deliver_due(self) -> datetime | None:
        """Deliver the reminders that are due, and return the time at which the next reminder is due. Raises
        MemoryUnreachable and MemoryRefused."""
        claimed = await self.delivery.memory.claim_reminders(ClaimRemindersArgs(worker=self.worker))
        for reminder in claimed.reminders:
            with (
                tracing.traced(ROUTINE),
                use_language(language_of(self.delivery.stores.languages.get(str(reminder.chat_id)))),
            ):
                await self._deliver(reminder)
        return claimed.next_at

    async def run(self, stop: asyncio.Event) -> None:
        """Deliver reminders until stopped."""
        while not stop.is_set():
            self.wake.clear()
            try:
                next_at = await self.deliver_due()
            except (MemoryUnreachable, MemoryRefused) as error:
                logger.info("reminders cannot be claimed now: %s", error)
                next_at = None
            await self._nap(stop, next_at)

    async def _nap(self, stop: asyncio.Event, next_at: datetime | None) -> None:
        until = (next_at - self.delivery.now()).total_seconds() if next_at is not None else LONGEST_NAP
        seconds = min(LONGEST_NAP, max(SHORTEST_NAP, until))
        waiting = [asyncio.ensure_future(event.wait()) for event in (stop, self.wake)]
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()

    async def _deliver(self, reminder: Reminder) -> None:
        """Deliver one reminder. If its chat accepts no messages from the bot, the reminder waits until a message comes
        from the chat."""
        chat = self.delivery.stores.moved.telegram_chat(reminder.chat_id)
        if self.delivery.sender.is_closed(chat):
            return
        key = f"{reminder.chat_id}:{reminder.memory.id}:{reminder.due_at.timestamp():.0f}"
        late = self._is_late(key, reminder)
        text = due_text(reminder, self.delivery.zone, late=late)
        try:
            number = await self._shown(key, reminder, text, late=late)
        except AnswerLost as error:
            logger.warning("it is unknown whether a reminder was delivered, so it is not sent again: %s", error)
            number = None
        except TelegramError as error:
            logger.info("it cannot be checked now whether a reminder was delivered: %s", error_text(error))
            return
        except NotSent as error:
            logger.warning("a reminder could not be sent: %s", error)
            self.delivery.emit("reminder_not_sent", reason=type(error).__name__)
            if self.delivery.sender.is_closed(chat):
                # The reminder has not arrived, so the next attempt decides again whether it is late.
                self.delivery.stores.alarms.put(key, "")
                return
            if self.delivery.now() - reminder.due_at < GIVEN_UP:
                return
            number = None
        if number is not None:
            await self._record(reminder, text, number)
        await finish(self.delivery.memory, reminder, self.delivery.now(), self.delivery.zone)
        self.delivery.emit("reminder_delivered", late=late)

    async def _shown(self, key: str, reminder: Reminder, text: str, *, late: bool) -> int:
        """Send the reminder, unless it has already arrived, and return its message's id. Raises NotSent and
        AnswerLost."""
        note = self.delivery.stores.alarms.get(key) or ""
        if note.startswith(_SENT):
            return int(note.removeprefix(_SENT))
        chat = self.delivery.stores.moved.telegram_chat(reminder.chat_id)
        markup = buttons.reminder_due(reminder.memory.id, repeats=reminder.repeats is not None)
        number = None
        if note.startswith(_BEFORE):
            after = int(note.removeprefix(_BEFORE).removesuffix(":late"))
            await self.delivery.sender.settled()
            number = await self.delivery.sender.find(chat, Marked(text), after, markup)
        if number is None:
            to = Address(chat, reminder.message_thread_id)
            number = await self.delivery.sender.send(
                to, Marked(text), markup, lambda after: self._about_to(key, after, late)
            )
        self.delivery.stores.alarms.put(key, f"{_SENT}{number}")
        return number

    def _about_to(self, key: str, after: int | None, late: bool) -> None:
        if after is not None:
            self.delivery.stores.alarms.put(key, f"{_BEFORE}{after}{':late' if late else ''}")

    def _is_late(self, key: str, reminder: Reminder) -> bool:
        """Whether the first attempt was late. A further attempt uses the text of the first one, because the search for
        the sent message needs exactly this text."""
        note = self.delivery.stores.alarms.get(key) or ""
        return note.endswith(":late") if note.startswith(_BEFORE) else self.delivery.now() - reminder.due_at > LATE

    async def _record(self, reminder: Reminder, text: str, number: int) -> None:
        """Record the delivered reminder, so that a reply such as "done" can refer to it."""
        chat = self.delivery.stores.moved.telegram_chat(reminder.chat_id)
        args = c.RecordMessageArgs(
            role="assistant",
            content=text,
            chat_id=reminder.chat_id,
            message_thread_id=reminder.message_thread_id,
            message_id=self.delivery.stores.moved.sent_id(chat, number),
            sent_at=self.delivery.now().astimezone(self.delivery.zone),
            channel=CHANNEL,
            routine=ROUTINE,
        )
        try:
            await with_retries(lambda: self.delivery.memory.record_message(args), FOREVER)
        except MemoryRefused as error:
            logger.warning("a reminder was sent but not recorded: %s", error)
