"""Recognizes requests for reminders, and completes requests that lack a time."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused
from tellonce_relay.buttons import Reply
from tellonce_relay.catalogue import phrase
from tellonce_relay.incoming_message import Incoming, command_of
from tellonce_relay.orders import asks_for_reminder, order_of, without_polite
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.turn.reminders import (
    LONGEST_QUOTED,
    NotSet,
    has_time,
    only_times,
    other_days,
    set_by,
    set_reply,
    wanted_by,
)
from tellonce_text.own_words import is_forwarded, own_words

Thread = tuple[int, int | None]

PATIENCE: Final = timedelta(hours=1)
"""How long the bot's question about the time of a reminder stays open."""


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


def asks_in_vain(text: str, said_at: datetime, zone: ZoneInfo) -> bool:
    """Whether a statement asks for a reminder, although no reminder could be set for it. A single word counts only if
    the statement also has a time, because the word can also mean `remember`."""
    words = asks_for_reminder(text[:LONGEST_QUOTED]) if not is_forwarded(text) else ""
    return " " in words or (bool(words) and has_time(text, said_at, zone))
