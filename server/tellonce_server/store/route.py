"""How this process reaches PostgreSQL: directly, or through a pooler; decided by looking, never by what a URL says."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import asyncpg

from tellonce_server.core.db_errors import StorageRefused

BACKEND: Final = "select pg_backend_pid()"
_TRIES: Final = 5
_SECONDS: Final = 2.0
"""How long a pooler may take to find a second connection."""


@dataclass(frozen=True)
class Route:
    """`direct` is the address for what needs a session: LISTEN, advisory locks, migrations."""

    address: str
    direct: str
    pooled: bool = False
    named: bool = True
    """Whether a named prepared statement is found in every transaction."""


def unpooled(address: str) -> Route:
    """The route to a PostgreSQL that is known to be reached directly."""
    return Route(address, address)


async def find_route(address: str, direct: str | None) -> Route:
    """Look at both addresses.

    Raises:
        StorageRefused: a pooler without a direct address beside it, or one whose direct address is a pooler's, too.
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
    """Whether something between us and PostgreSQL gives out its connections.

    At login PostgreSQL tells the process that serves this client, for cancelling. A pooler, which changes the process
    under the client, must tell something of its own.
    """
    async with _connection(address) as connection:
        told = connection.get_server_pid()
        return bool(told != await connection.fetchval(BACKEND))


async def _keeps_named(address: str) -> bool:
    """Whether a statement prepared on one of the pooler's connections runs on another one.

    Asked of a pooler that is too old, or that keeps none (`max_prepared_statements = 0`), this fails or never changes
    connections. Then every statement is parsed anew, which any pooler can do.
    """
    try:
        async with asyncio.timeout(_SECONDS * _TRIES), _connection(address) as one, _connection(address) as other:
            # A name of its own: asyncpg's names begin anew in each process, and an old pooler's connections still hold
            # what others prepared under them.
            prepared = await one.prepare(BACKEND, name=f"tellonce_{secrets.token_hex(8)}")
            before = await prepared.fetchval()
            for _ in range(_TRIES):
                async with other.transaction():
                    # Holds the connection that was just given back, most likely the one the statement is on.
                    await other.fetchval(BACKEND)
                    async with asyncio.timeout(_SECONDS):
                        if await prepared.fetchval() != before:
                            return True
    except (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
        return False
    return False


@asynccontextmanager
async def _connection(address: str) -> AsyncGenerator[Any]:
    # Without a cache asyncpg sends unnamed statements, each parsed where it runs.
    connection = await asyncpg.connect(address, statement_cache_size=0)
    try:
        yield connection
    finally:
        await connection.close(timeout=_SECONDS)
