"""Builds a separate vector index for every owner with very many messages, while the server runs.

For an owner with fewer messages, a scan of the codes in the primary key is as fast as an index. Without the index,
storing a message takes a tenth of the time.
"""

import logging
from typing import Any, Final

from tellonce_server.postgres.connection import connected
from tellonce_server.store.database import Database
from tellonce_sql import query

LARGE: Final = 20_000
"""An owner with at least this number of messages gets an index. A scan of this many codes takes about 5 ms."""

_LOCK: Final = 0x63_68_61_74_6E_65_61_72

logger = logging.getLogger(__name__)


async def build_missing(database: Database, dsn: str, large: int = LARGE) -> int:
    """Build the missing indexes one at a time and return their number, or 0 if another process is building them. The
    login of `dsn` must own the tables."""
    if not await database.rows("near.missing", large):
        return 0
    async with connected(dsn) as connection:
        if not await connection.fetchval(query("locks.take"), _LOCK):
            return 0
        # The list is read again, because another process may have built some of the indexes meanwhile.
        missing = await connection.fetch(query("near.missing"), large)
        for row in missing:
            await connection.execute(row["clear"])
            await connection.execute(row["build"])
            logger.info("built %s", row["name"])
        return len(missing)


async def drop_all(dsn: str) -> None:
    """Drop the vector indexes of all owners. `build_missing` builds them again."""
    async with connected(dsn) as connection:
        for statement in await clearing(connection):
            await connection.execute(statement)


async def clearing(connection: Any) -> list[str]:
    """The statements that drop the vector indexes of all owners."""
    return [row["clear"] for row in await connection.fetch(query("near.all_of_them"))]
