"""The fetched messages that are not recorded yet, and the recent gaps between the messages of each chat. This module
does no I/O. Times are in seconds of the loop's clock."""

import asyncio
from collections import defaultdict, deque
from typing import Final

from telegram import Message, Update

from tellonce_relay.telegram.messages import thread_facts

Thread = tuple[int, int | None]

SHORTEST: Final = 0.3
"""Minimum seconds to wait for another message. It applies to a chat whose recent messages were far apart."""

REMEMBERED: Final = 20
"""A chat's rhythm is computed from this many recent gaps between messages."""

ENOUGH: Final = 8
"""A chat's rhythm is considered known after this many gaps."""

LEEWAY: Final = 1.5
"""Factor by which the next gap may exceed the longest recent gap."""


class PendingMessages:
    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Thread, float]] = {}
        self._recorded = asyncio.Event()
        self._last: dict[Thread, float] = {}
        self._gaps: defaultdict[Thread, deque[float]] = defaultdict(lambda: deque(maxlen=REMEMBERED))

    def fetched(self, update: Update, at: float) -> None:
        """Record that an update was fetched. Only new messages are tracked, because only new messages can join a
        turn."""
        if update.message is not None:
            self._waiting.setdefault(update.update_id, (_thread(update.message), at))

    def at(self, update_id: int, otherwise: float) -> float:
        """The time at which an unrecorded update was fetched. For an unknown update, the result is `otherwise`."""
        _, at = self._waiting.get(update_id, (None, otherwise))
        return at

    def ended(self, *update_ids: int) -> None:
        """Stop tracking the updates (by default all), because they were handled or will be fetched again."""
        for update_id in update_ids or tuple(self._waiting):
            self._waiting.pop(update_id, None)
        self._recorded.set()

    async def recorded(self, thread: Thread) -> None:
        """Wait until every fetched message of the thread is recorded."""
        while any(where == thread for where, _ in self._waiting.values()):
            self._recorded.clear()
            await self._recorded.wait()

    def taken(self, thread: Thread, update_id: int, now: float) -> None:
        """Record that a message became part of a turn."""
        at = self.at(update_id, now)
        if thread in self._last:
            self._gaps[thread].append(at - self._last[thread])
        self._last[thread] = at
        self.ended(update_id)

    def hold(self, thread: Thread, longest: float) -> float:
        """Seconds to wait for another message: at most `longest`, and less in a chat that sends single messages."""
        gaps = self._gaps[thread]
        if len(gaps) < ENOUGH:
            return longest
        quick = max((gap for gap in gaps if gap <= longest), default=0.0)
        return min(longest, max(SHORTEST, LEEWAY * quick))


def _thread(message: Message) -> Thread:
    return (message.chat.id, thread_facts(message).message_thread_id)
