"""Ends memories as time passes: completes past dates, asks about overdue goals, and closes these goals without an
answer."""

from datetime import timedelta
from typing import Final

from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory import dedup
from tellonce_server.domain.memory.retraction import queue_profile_of
from tellonce_server.store import memories

ASKED_AFTER: Final = timedelta(days=30)
"""Time from a goal's deadline until the user is asked about the goal, once."""

CLOSED_AFTER: Final = timedelta(days=14)
"""Time after which an unanswered question closes its goal."""

KEYED_AT_ONCE: Final = 500


async def tidy(deps: Dependencies) -> None:
    """Apply all changes that are due. Calling this again changes nothing."""
    database, now = deps.database, deps.now()
    while found := await memories.unkeyed(database, KEYED_AT_ONCE):
        keys = [(owner, number, version, dedup.key(text)) for owner, number, text, version in found]
        await memories.set_keys(database, keys)
    for owner in await memories.owners_with_endings(database, now):
        ended = await memories.end_passed_dates(database, owner, now, deps.settings.timezone)
        ended += await memories.close_overdue_goals(database, owner, now, now - CLOSED_AFTER)
        ended += await memories.ask_about_overdue_goals(database, owner, now, now - ASKED_AFTER)
        if ended:
            async with database.transaction() as t:  # the profile can still contain the ended statements
                await queue_profile_of(t, owner, now)
            deps.tell_workers()
            deps.tell_subscribers(owner, "memory://profile")
