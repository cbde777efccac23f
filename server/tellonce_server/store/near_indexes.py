"""The vector indexes of single owners: finds and builds missing ones."""

import logging
from typing import Any, Final

import asyncpg

from tellonce_server.store.database import Database
from tellonce_sql import query

_LOCK: Final = 0x63_68_61_74_6E_65_61_72

logger = logging.getLogger(__name__)


async def any_missing(database: Database, large: int) -> bool:
    """Whether an owner with at least `large` messages has no index."""
    return bool(await database.rows("near.missing", large))


async def build(dsn: str, large: int) -> int:
    """Build the missing indexes, one at a time. Returns their number, 0 while another process builds. `dsn` logs in as
    the tables' owner."""
    connection: Any = await asyncpg.connect(dsn)
    try:
        if not await connection.fetchval(query("locks.take"), _LOCK):
            return 0
        # This is read again, because the process that held the lock may have built some.
        missing = await connection.fetch(query("near.missing"), large)
        for row in missing:
            await connection.execute(row["clear"])
            await connection.execute(row["build"])
            logger.info("built %s", row["name"])
        return len(missing)
    finally:
        await connection.close()


async def clear_all(connection: Any) -> None:
    for statement in await clearing(connection):
        await connection.execute(statement)


async def clearing(connection: Any) -> list[str]:
    """The statements that drop every such index."""
    return [row["clear"] for row in await connection.fetch(query("near.all_of_them"))]
