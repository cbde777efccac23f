"""Completes requests for reminders that lack a time, and offers reminders for days that the person names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused
from tellonce_relay.buttons import CallbackData, Reply
from tellonce_relay.catalogue import moment, phrase
from tellonce_relay.incoming_message import Incoming, Place, command_of
from tellonce_relay.orders import Order, order_of, remind_within, without_joint, without_polite
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.turn.reminders import (
    LONGEST_QUOTED,
    NotSet,
    Wanted,
    elapsing_by,
    has_time,
    only_times,
    other_days,
    repeated_by,
    set_by,
    set_reply,
    wanted_by,
)
from tellonce_relay.views import without_stamps
from tellonce_text.dates.alarms import alarm
from tellonce_text.dates.meanings import proposed_day
from tellonce_text.dates.readings import Reading, Said
from tellonce_text.dates.zones import region_of
from tellonce_text.own_words import is_forwarded, own_words

Thread = tuple[int, int | None]

PATIENCE: Final = timedelta(hours=1)
"""How long the bot's question about the time of a reminder stays open."""

MORNING: Final = timedelta(hours=9)
EARLIER: Final = timedelta(hours=1)
"""How long before an appointment a reminder is offered."""


@dataclass(frozen=True)
class _Unfinished:
    """A request for a reminder without a time: its message, and the message's chat in the memory. `completed_by` is the
    message that gave the missing time later."""

    asked_at: datetime
    chat_id: int | None
    message_id: str
    completed_by: str = ""

    @classmethod
    def read(cls, stored: str) -> Self:
        at, chat, message, *by = stored.split(" ")
        return cls(datetime.fromisoformat(at), int(chat), message, *by)

    def __str__(self) -> str:
        return f"{self.asked_at.isoformat()} {self.chat_id} {self.message_id} {self.completed_by}".rstrip()


class ReminderRequests:
    """Carries out requests for reminders. If a request lacks a time, the next message of the thread can add the time.
    This also works after a restart, because the store `unfinished` contains the id of the request's message. The text
    of the request is stored only in the memory, so that forgetting erases the text."""

    def __init__(
        self, memory: MemoryClient, zone: ZoneInfo, now: Callable[[], datetime], unfinished: SeenStore
    ) -> None:
        self._memory = memory
        self._zone = zone
        self._now = now
        self._unfinished = unfinished

    async def carry_out(self, thread: Thread, incoming: Incoming, text: str, *, recorded: bool) -> Reply:
        """Set the reminders that the text requests. `recorded` says that the message is recorded. Raises
        MemoryUnreachable and MemoryRefused."""
        try:
            made = await set_by(self._memory, self._zone, incoming, text, recorded=recorded)
        except NotSet as reason:
            if reason.what and recorded and incoming.chat_id is not None:
                self._put(thread, _Unfinished(self._now(), incoming.chat_id, incoming.message_id))
            return Reply(str(reason))
        self._complete(thread, incoming)
        return set_reply(made, incoming.sent_at, self._zone, other_days(text, incoming.sent_at, self._zone))

    async def complete(self, thread: Thread, incoming: Incoming, text: str) -> Reply:
        """Set the reminders of the thread's last request at the times that `text` gives. `completes` must be true for
        this text. Raises MemoryUnreachable and MemoryRefused."""
        asked = self._get(thread)
        assert asked is not None
        try:
            known = await self._memory.explain(c.ExplainArgs(message_id=asked.message_id, chat_id=asked.chat_id))
        except MemoryRefused:  # the request was forgotten
            self._complete(thread, incoming)
            return Reply(phrase("reminder.asks_what", example=phrase("reminder.example")))
        whole = f"{without_polite(text)}: {_what(known.text, known.at.astimezone(self._zone), self._zone)}"
        try:
            made = await set_by(self._memory, self._zone, incoming, whole, recorded=True)
        except NotSet as reason:  # the request stays open
            return Reply(str(reason))
        self._complete(thread, incoming)
        return set_reply(made, incoming.sent_at, self._zone, other_days(whole, incoming.sent_at, self._zone))

    def completes(self, thread: Thread, incoming: Incoming, text: str) -> bool:
        """Whether the text contains only the time that was missing in the last request."""
        asked = self._get(thread)
        if asked is None or self._now() - asked.asked_at > PATIENCE:
            return False
        is_open = asked.completed_by in ("", incoming.message_id)
        return is_open and only_times(without_polite(text), incoming.sent_at, self._zone)

    def is_unfinished(self, thread: Thread, incoming: Incoming) -> bool:
        """Whether the message is the thread's request whose time is missing."""
        asked = self._get(thread)
        return asked is not None and (asked.message_id, asked.completed_by) == (incoming.message_id, "")

    def _complete(self, thread: Thread, incoming: Incoming) -> None:
        """Store which message gave the time. After a kill, this message is carried out again."""
        asked = self._get(thread)
        if asked is not None and not asked.completed_by:
            self._put(thread, replace(asked, completed_by=incoming.message_id))

    def _get(self, thread: Thread) -> _Unfinished | None:
        stored = self._unfinished.get(_key(thread))
        return _Unfinished.read(stored) if stored is not None else None

    def _put(self, thread: Thread, asked: _Unfinished) -> None:
        self._unfinished.put(_key(thread), str(asked))


def _key(thread: Thread) -> str:
    return ":".join(map(str, thread))


def _what(request: str, said_at: datetime, zone: ZoneInfo) -> str:
    """The subject of a request that has no possible time; empty if the request has a possible time."""
    request = own_words(request).strip() or request  # in a caption, the person's words follow a label
    order, (name, text) = order_of(request), command_of(request)
    try:
        wanted_by(text if name == "/remind" or order is None else order.rest, said_at, zone)
    except NotSet as reason:
        return reason.what
    return ""


def offered(text: str, said_at: datetime, zone: ZoneInfo) -> tuple[Wanted, ...]:
    """The reminders to offer for a statement.

    - `dentist on Friday`: one reminder at nine on this day.
    - `dentist on Friday evening`: one reminder at the usual hour of this part of the day.
    - `dentist on Friday at 3 pm`: one reminder an hour before this time.
    - `tennis every Friday at 5 pm`: one reminder for each repeated time. The times are at the beginning or end of the
      text.
    - `in an hour and a half: call mum`: one reminder after this time.

    There is no offer for a long or forwarded text. There is also no offer for a time that is near or past.
    """
    if len(text) > LONGEST_QUOTED or is_forwarded(text):
        return ()
    if waited := elapsing_by(text, said_at, zone):
        return waited
    found = proposed_day(text, said_at, zone)
    if found is None or found.days[0] != found.days[1]:
        return repeated_by(text, said_at, zone)
    at = found.start - EARLIER if found.precision == "instant" else _usual_hour(text, found, said_at, zone)
    return (Wanted(without_joint(without_stamps(text)), at),) if at > said_at + EARLIER else ()


def _usual_hour(text: str, named: Reading, said_at: datetime, zone: ZoneInfo) -> datetime:
    """The time at which a request for a reminder on the named day, or in the named part of a day, would be due."""
    found = alarm(text, Said(said_at, zone, region_of(zone)))
    if found is not None and found.at is not None and named.start <= found.at < named.end:
        return found.at
    return max(named.start, named.start.replace(hour=0, minute=0) + MORNING)


def question(offer: Sequence[Wanted], now: datetime, zone: ZoneInfo) -> str:
    """The question whether to set these reminders."""
    when = (one.words or moment(one.at.astimezone(zone), now.astimezone(zone)) for one in offer)
    return phrase("reminder.offer", when=", ".join(when))


async def accept(memory: MemoryClient, chat_id: int, callback: CallbackData, now: datetime, zone: ZoneInfo) -> Reply:
    """Set the reminders that were offered for a message or, with `item` 1, for a memory. Raises MemoryUnreachable and
    MemoryRefused."""
    message = None if callback.item else str(callback.number)
    named = {"memory_id": callback.number} if message is None else {"message_id": message}
    known = await memory.explain(c.ExplainArgs.model_validate({**named, "chat_id": chat_id}))
    offer = [one.after(now, zone) for one in offered(known.text, known.at.astimezone(zone), zone)]
    if not offer:  # the message was edited
        return Reply(phrase("reminder.asks_when"))
    if offer[0].at <= now:
        return Reply(phrase("reminder.past", when=moment(offer[0].at.astimezone(zone), now.astimezone(zone))))
    place: Place = {"chat_id": chat_id, "message_thread_id": None}
    made = [await memory.set_reminder(one.in_place(place, message)) for one in offer]
    return set_reply(made, now, zone)


def order_in(text: str, said_at: datetime, zone: ZoneInfo) -> Order | None:
    """The order in a message. An order for a reminder can begin with its times: `daily at 8 and 20 remind me to …`."""
    order = order_of(text)
    if order is not None or len(text) > LONGEST_QUOTED:
        return order
    within = remind_within(text)
    if within is None or not only_times(within.before, said_at, zone):
        return None
    return Order("remind", f"{within.before.strip()} {within.after.strip()}", within.language)


def asks_in_vain(text: str, said_at: datetime, zone: ZoneInfo) -> bool:
    """Whether a statement asks for a reminder. The caller has found no reminder to set or offer for the statement. A
    single word counts as such a request only if the statement also has a time, because the word can also mean
    `remember`."""
    within = remind_within(text[:LONGEST_QUOTED]) if not is_forwarded(text) else None
    return within is not None and (" " in within.words or has_time(text, said_at, zone))
