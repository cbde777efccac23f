"""Rewrites the tables and retires the log after something was forgotten: erased text leaves the database's files too.

PostgreSQL marks an erased row as dead and keeps its bytes, in the table and in the write-ahead log, until it reuses them.
"""

import logging
from datetime import timedelta
from typing import Any

import asyncpg

from chatmem_server.services import Kit
from chatmem_sql import queries, query

logger = logging.getLogger(__name__)


class Scrubber:
    """`admin_dsn`: a superuser of the embedded server; None for an external one, whose log and samples are not ours."""

    def __init__(self, kit: Kit, dsn: str, admin_dsn: str | None) -> None:
        self._kit = kit
        self._dsn = dsn
        self._admin_dsn = admin_dsn

    async def scrub_if_due(self) -> bool:
        """Scrub when something was erased and the last scrub is old enough; whether it did."""
        hours = self._kit.settings.scrub_hours
        if not hours:
            return False
        latest = self._kit.now() - timedelta(hours=hours)
        if not await self._kit.database.value("scrub.due", latest):
            return False
        await self.scrub()
        return True

    async def scrub(self) -> None:
        """Rewrite now. Each table is locked while it is rewritten; the others go on."""
        began = self._kit.now()
        connection: Any = await asyncpg.connect(self._admin_dsn or self._dsn)
        try:
            for name in sorted(name for name in queries() if name.startswith("scrub.rewrite_")):
                if name != "scrub.rewrite_statistics" or self._admin_dsn is not None:
                    await connection.execute(query(name))
            if self._admin_dsn is not None:
                await self._retire_log(connection)
        finally:
            await connection.close()
        await self._kit.database.run("scrub.done", began)
        self._kit.emit("scrubbed", ms=round((self._kit.now() - began).total_seconds() * 1000))

    async def _retire_log(self, connection: Any) -> None:
        """Two rounds: the first closes the segment that holds the old text, the second lets it go."""
        for name in (
            "scrub.checkpoint",
            "scrub.switch_log",
            "scrub.checkpoint",
            "scrub.switch_log",
            "scrub.checkpoint",
        ):
            await connection.execute(query(name))
