"""How this process reaches PostgreSQL: directly or through a pooler. This is detected, never inferred from a URL."""

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
"""Maximum seconds that a pooler may take to find a second connection."""


@dataclass(frozen=True)
class Route:
    """`direct` is the URL for what needs a session: LISTEN, advisory locks, migrations."""

    address: str
    direct: str
    pooled: bool = False
    named: bool = True
    """Whether a named prepared statement exists in every transaction."""


def unpooled(address: str) -> Route:
    """The route to a PostgreSQL that is known to have direct connections."""
    return Route(address, address)


async def find_route(address: str, direct: str | None) -> Route:
    """Test both URLs.

    Raises: StorageRefused: a pooler without a direct URL, or a direct URL that is a pooler's too.
    """
    if direct is not None and await is_pooled(direct):
        raise StorageRefused(
            "DATABASE_DIRECT_URL leads to a connection pooler, too; set it to PostgreSQL's own address and port."
        )
    if not await is_pooled(address):
        return Route(address, direct or address)
    if direct is None:
        raise StorageRefused(
            "DATABASE_URL leads to a connection pooler. Set DATABASE_DIRECT_URL to PostgreSQL's own address besides: "
            "migrations, locks and notifications need a session."
        )
    return Route(address, direct, pooled=True, named=await _keeps_named(address))


async def is_pooled(address: str) -> bool:
    """Whether a pooler is between us and PostgreSQL.

    At login PostgreSQL reports the process that serves this client, for cancelling. A pooler, which changes the process
    during a session, must report something else.
    """
    async with _connection(address) as connection:
        told = connection.get_server_pid()
        return bool(told != await connection.fetchval(BACKEND))


async def _keeps_named(address: str) -> bool:
    """Whether a statement prepared on one of the pooler's connections runs on another.

    With a pooler that is too old or keeps none (`max_prepared_statements = 0`), this fails or never changes
    connections. Then every statement is parsed again, which any pooler supports.
    """
    try:
        async with asyncio.timeout(_SECONDS * _TRIES), _connection(address) as one, _connection(address) as other:
            # The name is unique: asyncpg's names restart in each process, and an old pooler's connections still hold
            # what others prepared under them.
            prepared = await one.prepare(BACKEND, name=f"tellonce_{secrets.token_hex(8)}")
            before = await prepared.fetchval()
            for _ in range(_TRIES):
                async with other.transaction():
                    # This occupies the connection that was just returned, which most likely has the statement.
                    await other.fetchval(BACKEND)
                    async with asyncio.timeout(_SECONDS):
                        if await prepared.fetchval() != before:
                            return True
    except (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
        return False
    return False


@asynccontextmanager
async def _connection(address: str) -> AsyncGenerator[Any]:
    # Without a cache, asyncpg sends unnamed statements, which are parsed where they run.
    connection = await asyncpg.connect(address, statement_cache_size=0)
    try:
        yield connection
    finally:
        await connection.close(timeout=_SECONDS)
