"""The fetched messages that are not recorded yet. This module does no I/O. Times are in seconds of the loop's clock."""

import asyncio

from telegram import Message, Update

from tellonce_relay.telegram.messages import topic_of

Thread = tuple[int, int | None]


class PendingMessages:
    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Thread, float]] = {}
        self._recorded = asyncio.Event()

    def fetched(self, update: Update, at: float) -> None:
        """Record that an update was fetched. Only a new message can join a turn."""
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


def _thread(message: Message) -> Thread:
    return (message.chat.id, topic_of(message))
