"""Builds a separate vector index for every owner with very many messages, while the server runs.

Below that size, a scan of the codes in the primary key is as fast, and writing a message costs a tenth.
"""

import logging
from typing import Any, Final

import asyncpg

from tellonce_server.store.database import Database
from tellonce_sql import query

LARGE: Final = 20_000
"""An owner with this many messages needs about 5 ms for a scan of the codes."""

_LOCK: Final = 0x63_68_61_74_6E_65_61_72

logger = logging.getLogger(__name__)


class NearIndexes:
    """Builds indexes. `dsn` logs in as the tables' owner, because the roles of the pools may not create indexes."""

    def __init__(self, database: Database, dsn: str, large: int = LARGE) -> None:
        self._database = database
        self._dsn = dsn
        self._large = large

    async def build_missing(self) -> int:
        """Build missing indexes one by one, in one process at a time. Returns their number."""
        missing = await self._database.rows("near.missing", self._large)
        return await self._build() if missing else 0

    async def _build(self) -> int:
        connection: Any = await asyncpg.connect(self._dsn)
        try:
            if not await connection.fetchval(query("locks.take"), _LOCK):
                return 0
            # Read again, because the process that held the lock may have built them.
            missing = await connection.fetch(query("near.missing"), self._large)
            for row in missing:
                await connection.execute(row["clear"])
                await connection.execute(row["build"])
                logger.info("built %s", row["name"])
            return len(missing)
        finally:
            await connection.close()
