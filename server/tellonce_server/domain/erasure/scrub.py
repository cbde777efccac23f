"""Rewrites the tables and recycles the log after an erasure, so that erased text leaves the database's files too.

PostgreSQL marks an erased row as dead and keeps its bytes, in the table and in the write-ahead log, until it reuses
them. Only a rewritten table is free of them, and it is locked meanwhile. A rewrite therefore gives way as soon as
anybody has waited for it for a moment, and is retried later.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Final

import asyncpg

from tellonce_server.domain.dependencies import Dependencies
from tellonce_sql import queries, query

logger = logging.getLogger(__name__)

LOCK: Final = 0x63_68_61_74_73_63_72_75
"""The lock that a scrub holds, because a second one would only lock the same tables again."""

LONGEST_WAIT: Final = 0.4
"""Maximum seconds that anybody waits for a rewrite before it gives way, and that it waits for others."""
LOOK_SECONDS: Final = 0.1

FIRST_PAUSE: Final = timedelta(minutes=10)
LONGEST_PAUSE: Final = timedelta(hours=6)
"""Maximum pause after giving way. Each pause is twice the last, because a cancelled rewrite is wasted work."""


class Scrubber:
    """Scrubs the files. `admin_dsn` is a superuser of the embedded server; None for an external one, whose log and
    statistics samples are not ours."""

    def __init__(self, deps: Dependencies, dsn: str, admin_dsn: str | None) -> None:
        self._deps = deps
        self._dsn = dsn
        self._admin_dsn = admin_dsn
        self._began: datetime | None = None
        self._rewritten: set[str] = set()
        self._pause = FIRST_PAUSE
        self._not_before: datetime | None = None

    async def scrub_if_due(self) -> bool:
        """Scrub if something was erased and the last scrub is old enough. Returns whether it was done."""
        hours = self._deps.settings.retention.scrub_hours
        if not hours or (self._not_before is not None and self._deps.now() < self._not_before):
            return False
        latest = self._deps.now() - timedelta(hours=hours)
        if not await self._deps.database.value("scrub.due", latest):
            return False
        return await self.scrub()

    async def scrub(self, *, gives_way: bool = True) -> bool:
        """Rewrite now and return whether it was done.

        Returns False if another process is scrubbing or somebody needed a table. Tables rewritten by then are not
        repeated.
        """
        async with self._session() as session:
            if not await session.fetchval(query("locks.take"), LOCK):
                return False
            self._began = self._began or self._deps.now()
            for name in self._rewrites():
                if not await self._rewrite(session, name, gives_way=gives_way):
                    self._put_off(name)
                    return False
                self._rewritten.add(name)
            if self._admin_dsn is not None:
                await self._retire_log(session)
        await self._done(self._began)
        return True

    async def _rewrite(self, session: Any, name: str, *, gives_way: bool) -> bool:
        async with self._session() as watch:
            for statement in await _statements(session, name):
                if not gives_way:
                    await session.execute(statement)
                elif not await give_way(session, watch, statement):
                    return False
        return True

    def _put_off(self, name: str) -> None:
        self._not_before = self._deps.now() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        logger.info("the scrub gives way: %s was needed; it is tried again at %s", name, self._not_before)

    def _rewrites(self) -> list[str]:
        """The remaining statements of this round."""
        return [
            name
            for name in sorted(queries())
            if name.startswith("scrub.rewrite_")
            and name not in self._rewritten
            and (name != "scrub.rewrite_statistics" or self._admin_dsn is not None)
        ]

    async def _done(self, began: datetime) -> None:
        await self._deps.database.run("scrub.done", began)
        self._began, self._rewritten, self._pause = None, set(), FIRST_PAUSE
        self._deps.emit("scrubbed", ms=round((self._deps.now() - began).total_seconds() * 1000))

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[Any]:
        connection: Any = await asyncpg.connect(self._admin_dsn or self._dsn)
        try:
            yield connection
        finally:
            await connection.close()

    async def _retire_log(self, connection: Any) -> None:
        """Recycle the log in two rounds: the first closes the segment with the old text, the second releases it."""
        for name in (
            "scrub.checkpoint",
            "scrub.switch_log",
            "scrub.checkpoint",
            "scrub.switch_log",
            "scrub.checkpoint",
        ):
            await connection.execute(query(name))


async def _statements(session: Any, name: str) -> list[str]:
    """The statements that rewrite a table. Vector indexes of large owners are dropped first and rebuilt later without
    a lock: without them, rewriting `messages` takes a thirtieth of the time."""
    if name != "scrub.rewrite_messages":
        return [query(name)]
    return [*(row["clear"] for row in await session.fetch(query("near.all_of_them"))), query(name)]


async def give_way(session: Any, watch: Any, statement: str) -> bool:
    """Run `statement` on `session` unless somebody waits for it too long. Returns whether it completed.

    `watch` is a second session of the same login.
    """
    await session.execute(query("scrub.wait_shortly"))
    work = asyncio.create_task(session.execute(statement))
    needed = asyncio.create_task(_until_needed(watch, session.get_server_pid()))
    try:
        await asyncio.wait({work, needed}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            await watch.fetchval(query("scrub.cancel"), session.get_server_pid())
        await work
    except (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError):
        return False
    finally:
        work.cancel()
        needed.cancel()
        await asyncio.gather(work, needed, return_exceptions=True)
    return True


async def _until_needed(watch: Any, pid: int) -> None:
    """Return when somebody has waited for the process too long."""
    while await watch.fetchval(query("scrub.longest_wait"), pid) < LONGEST_WAIT:  # noqa: ASYNC110 (other processes wait)
        await asyncio.sleep(LOOK_SECONDS)
