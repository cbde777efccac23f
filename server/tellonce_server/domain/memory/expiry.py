"""Changes memories as time passes: completes past dates, asks the user about overdue goals, and closes these goals if
the user does not answer."""

from datetime import datetime, timedelta
from typing import Final

from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import dedup
from tellonce_server.domain.memory.profile_queue import queue_profile
from tellonce_server.store import chats, memories

ASKED_AFTER: Final = timedelta(days=30)
"""The time from a goal's deadline until the user is asked about the goal. The user is asked about each goal only
once."""

CLOSED_AFTER: Final = timedelta(days=14)
"""A goal is closed if the question about the goal stays unanswered for this long."""

KEYED_AT_ONCE: Final = 500


class Expiry:
    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def tidy(self) -> None:
        """Apply all changes that are due. Calling this again changes nothing."""
        await self._key_words()
        now = self._deps.now()
        for owner in await memories.owners_with_endings(self._deps.database, now):
            ended = await memories.end_passed_dates(self._deps.database, owner, now, self._deps.settings.timezone)
            ended += await memories.close_overdue_goals(self._deps.database, owner, now, now - CLOSED_AFTER)
            ended += await memories.ask_about_overdue_goals(self._deps.database, owner, now, now - ASKED_AFTER)
            if ended:
                await self._rewrite_profile(owner, now)
                self._deps.tell_subscribers(owner, "memory://profile")

    async def _rewrite_profile(self, owner_id: int, now: datetime) -> None:
        """Queue a rewrite of the profile, because the profile may contain statements that no longer hold. The job
        belongs to the owner's newest chat."""
        known = await chats.of_owner(self._deps.database, owner_id)
        if not known:
            return
        newest = max(known, key=lambda chat: chat.created_at).chat_id
        async with self._deps.database.transaction() as t:
            await chats.lock(t, owner_id, newest)
            await queue_profile(t, owner_id, newest, now)
        self._deps.tell_workers()

    async def _key_words(self) -> None:
        while found := await memories.unkeyed(self._deps.database, KEYED_AT_ONCE):
            keys = [(owner, number, version, dedup.key(text)) for owner, number, text, version in found]
            await memories.set_keys(self._deps.database, keys)
