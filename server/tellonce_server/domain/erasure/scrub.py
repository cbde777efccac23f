"""Rewrites the tables and recycles the write-ahead log after an erasure, so that erased text leaves the database's
files too.

PostgreSQL marks an erased row as dead. Its bytes stay in the table and in the write-ahead log until their space is
reused. Only rewriting a table removes them at once, and a rewrite locks the table. It is therefore canceled and put off
when another session waits for the table. A scrub that is long overdue runs at the server's start.
"""

import logging
from datetime import datetime, timedelta
from typing import Final

from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.postgres.connection import connected
from tellonce_server.store import scrub as store

logger = logging.getLogger(__name__)

FIRST_PAUSE: Final = timedelta(minutes=10)
LONGEST_PAUSE: Final = timedelta(hours=6)
"""Maximum pause after a canceled rewrite. Each pause is twice as long as the previous one, because the work of a
canceled rewrite is lost."""
OVERDUE: Final = timedelta(days=7)
"""A scrub that is overdue by more than this runs at the server's start, before calls are served."""


class Scrubber:
    """`admin_dsn` logs in as a superuser of the embedded server. It is None for an external server, whose log and
    statistics this program does not manage."""

    def __init__(self, deps: Dependencies, dsn: str, admin_dsn: str | None) -> None:
        self._deps = deps
        self._login = admin_dsn or dsn
        self._admin_dsn = admin_dsn
        self._began: datetime | None = None
        self._rewritten: set[str] = set()
        self._pause = FIRST_PAUSE
        self._not_before: datetime | None = None

    async def scrub_if_due(self) -> bool:
        """Scrub if something was erased and the last scrub is old enough. Returns whether a scrub was completed."""
        if self._not_before is not None and self._deps.now() < self._not_before:
            return False
        return await self._is_due(timedelta()) and await self.scrub()

    async def scrub_if_overdue(self) -> bool:
        """Scrub if a scrub is long overdue. Call this at the start of the process. Returns whether a scrub was
        completed."""
        return await self._is_due(OVERDUE) and await self.scrub()

    async def _is_due(self, since: timedelta) -> bool:
        hours = self._deps.settings.retention.scrub_hours
        latest = self._deps.now() - timedelta(hours=hours) - since
        return bool(hours) and await store.is_due(self._deps.database, latest)

    async def scrub(self, *, gives_way: bool = True) -> bool:
        """Rewrite the tables and return whether all of them were rewritten.

        False if another process is scrubbing, or if another session needed a table. The next attempt skips the tables
        that are done. If `gives_way` is False, other sessions must wait.
        """
        async with connected(self._login) as session, connected(self._login) as watch:
            if not await store.is_alone(session):
                return False
            self._began = self._began or self._deps.now()
            is_superuser = self._admin_dsn is not None
            for table, statements in (await store.rewrites(session, is_superuser=is_superuser)).items():
                if table in self._rewritten:
                    continue
                if not await store.rewrite(session, watch, statements, gives_way=gives_way):
                    self._put_off(table)
                    return False
                self._rewritten.add(table)
            if is_superuser:
                await store.retire_log(session)
        await self._done(self._began)
        return True

    def _put_off(self, table: str) -> None:
        self._not_before = self._deps.now() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        logger.info("another session needs %s; the next attempt to rewrite it is at %s", table, self._not_before)

    async def _done(self, began: datetime) -> None:
        await store.note_done(self._deps.database, began)
        self._began, self._rewritten, self._pause = None, set(), FIRST_PAUSE
        self._deps.emit("scrubbed", ms=round((self._deps.now() - began).total_seconds() * 1000))
