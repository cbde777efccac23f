"""A connection to PostgreSQL that belongs to no pool."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg


@asynccontextmanager
async def connected(dsn: str, **options: Any) -> AsyncGenerator[Any]:
    """An open connection for the block. `options` are those of `asyncpg.connect`."""
    connection: Any = await asyncpg.connect(dsn, **options)
    try:
        yield connection
    finally:
        await connection.close()
