"""Gives every owner with very many messages a vector index of its own, built while the server goes on; searches nothing.

Below that size a scan of the codes in the primary key is as fast, and a message costs a tenth to write.
"""

import logging
from typing import Any, Final

import asyncpg

from tellonce_server.store.database import Database
from tellonce_sql import query

LARGE: Final = 20_000
"""Messages of an owner whose codes take some 5 ms to scan."""

_LOCK: Final = 0x63_68_61_74_6E_65_61_72

logger = logging.getLogger(__name__)


class NearIndexes:
    """`dsn` logs in as the tables' owner: the roles of the pools may make no index."""

    def __init__(self, database: Database, dsn: str, large: int = LARGE) -> None:
        self._database = database
        self._dsn = dsn
        self._large = large

    async def build_missing(self) -> int:
        """How many were built: one at a time, and by one process at a time."""
        missing = await self._database.rows("near.missing", self._large)
        return await self._build() if missing else 0

    async def _build(self) -> int:
        connection: Any = await asyncpg.connect(self._dsn)
        try:
            if not await connection.fetchval(query("locks.take"), _LOCK):
                return 0
            # Read again: the process that held the lock may have built them.
            missing = await connection.fetch(query("near.missing"), self._large)
            for row in missing:
                await connection.execute(row["clear"])
                await connection.execute(row["build"])
                logger.info("built %s", row["name"])
            return len(missing)
        finally:
            await connection.close()
