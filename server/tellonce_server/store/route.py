"""Determines whether this process reaches PostgreSQL directly or through a pooler. The module tests this by connecting,
because the URL does not show it."""

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
    """The URLs of PostgreSQL. `address` may lead to a pooler. `direct` is for work that needs a session of its own:
    LISTEN, advisory locks, migrations."""

    address: str
    direct: str
    pooled: bool = False
    named: bool = True
    """Whether a named prepared statement can be used in every later transaction."""


def unpooled(address: str) -> Route:
    """The route to a PostgreSQL that `address` is known to reach without a pooler."""
    return Route(address, address)


async def find_route(address: str, direct: str | None) -> Route:
    """Test both URLs.

    Raises: StorageRefused: `address` leads to a pooler and `direct` is missing, or `direct` leads to a pooler too.
    """
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
    """Whether a pooler is between us and PostgreSQL.

    At login, PostgreSQL reports the id of the process that serves this client, which is needed to cancel a statement. A
    pooler may change that process during a session, so it must report a different id.
    """
    async with _connection(address) as connection:
        told = connection.get_server_pid()
        return bool(told != await connection.fetchval(BACKEND))


async def _keeps_named(address: str) -> bool:
    """Whether a statement that was prepared on one of the pooler's server connections also runs on another server
    connection.

    If the pooler is too old or keeps no prepared statements (`max_prepared_statements = 0`), the test fails or always
    gets the same server connection. The result is then False, and every statement is parsed each time it runs, which
    any pooler supports.
    """
    try:
        async with asyncio.timeout(_SECONDS * _TRIES), _connection(address) as one, _connection(address) as other:
            # The name must be unique. asyncpg's own names repeat in every process, and the server connections of an old
            # pooler may still have statements that other processes prepared under these names.
            prepared = await one.prepare(BACKEND, name=f"tellonce_{secrets.token_hex(8)}")
            before = await prepared.fetchval()
            for _ in range(_TRIES):
                async with other.transaction():
                    # This transaction occupies the server connection that was just returned, which most likely has the
                    # statement.
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
