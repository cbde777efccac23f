"""Finds out, by connecting, whether this process reaches PostgreSQL directly or through a pooler."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import asyncpg

from tellonce_server.core.errors import StorageRefused

BACKEND: Final = "select pg_backend_pid()"
_TRIES: Final = 5
_SECONDS: Final = 2.0
"""Maximum seconds to wait for the pooler to find a second server connection."""


@dataclass(frozen=True)
class Route:
    """The URLs of PostgreSQL: `address` may lead to a pooler; `direct` is for LISTEN, locks and migrations."""

    address: str
    direct: str
    pooled: bool = False
    named: bool = True
    """Whether a named prepared statement can be used in every later transaction."""


def unpooled(address: str) -> Route:
    """The route to a PostgreSQL server. `address` must reach the server without a pooler."""
    return Route(address, address)


async def find_route(address: str, direct: str | None) -> Route:
    """Test both URLs. Only `address` may lead to a pooler, and `direct` is then required. Raises StorageRefused."""
    if direct is not None and await is_pooled(direct):
        raise StorageRefused(
            "DATABASE_DIRECT_URL also leads to a connection pooler; set it to PostgreSQL's own address and port."
        )
    if not await is_pooled(address):
        return Route(address, direct or address)
    if direct is None:
        raise StorageRefused(
            "DATABASE_URL leads to a connection pooler. Also set DATABASE_DIRECT_URL to PostgreSQL's own address, "
            "because migrations, locks and notifications need a session."
        )
    return Route(address, direct, pooled=True, named=await _keeps_named(address))


async def is_pooled(address: str) -> bool:
    """Whether a pooler is between us and PostgreSQL. At login, PostgreSQL reports the id of the process that serves the
    connection, and a pooler reports another id."""
    async with _connection(address) as connection:
        pid = connection.get_server_pid()
        return bool(pid != await connection.fetchval(BACKEND))


async def _keeps_named(address: str) -> bool:
    """Whether a prepared statement also runs on the pooler's other server connections."""
    try:
        async with asyncio.timeout(_SECONDS * _TRIES), _connection(address) as one, _connection(address) as other:
            # The name must be unique. asyncpg's own names repeat in every process, and the server connections of an old
            # pooler may still have statements that other processes prepared under these names.
            prepared = await one.prepare(BACKEND, name=f"tellonce_{secrets.token_hex(8)}")
            before = await prepared.fetchval()
            for _ in range(_TRIES):
                async with other.transaction():
                    # `one` has just returned its server connection to the pooler. This transaction most likely occupies
                    # that connection, so that `one` must use another connection.
                    await other.fetchval(BACKEND)
                    async with asyncio.timeout(_SECONDS):
                        if await prepared.fetchval() != before:
                            return True
    except (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
        return False
    return False


@asynccontextmanager
async def _connection(address: str) -> AsyncGenerator[Any]:
    # Without a cache, asyncpg sends unnamed statements, which any server connection can run.
    connection = await asyncpg.connect(address, statement_cache_size=0)
    try:
        yield connection
    finally:
        await connection.close(timeout=_SECONDS)
