"""Direct access to the memory's database for commands that work on all of it: its URL and a connection with the newest
schema."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from tellonce.settings import ServerSettings
from tellonce_cli.screen import CommandFailed
from tellonce_server.core.errors import StorageRefused
from tellonce_server.store.postgres.embedded import EmbeddedPostgres
from tellonce_server.store.postgres.migrate import migrate
from tellonce_server.store.postgres.readiness import prepare


@asynccontextmanager
async def database(settings: ServerSettings) -> AsyncGenerator[str]:
    """The URL of the memory's database. The embedded one is started if it is not running."""
    if settings.login_url is not None:
        yield settings.login_url
        return
    embedded = EmbeddedPostgres(settings.data_dir / "postgres")
    try:
        yield await embedded.start()
    except StorageRefused as error:
        raise CommandFailed(f"{error} Run `tellonce doctor` for the fix.") from error
    finally:
        await embedded.release()


@asynccontextmanager
async def connected(dsn: str) -> AsyncGenerator[Any]:
    """A separate connection to the database. Raises CommandFailed if PostgreSQL does not answer."""
    try:
        connection: Any = await asyncpg.connect(dsn)
    except (OSError, asyncpg.PostgresError, ValueError, TimeoutError) as error:
        raise CommandFailed(f"PostgreSQL does not answer ({error}). Run `tellonce doctor` for the fix.") from error
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def current(dsn: str) -> AsyncGenerator[Any]:
    """A separate connection to the database, with the schema up to date."""
    async with connected(dsn) as connection:
        try:
            await prepare(connection)
            await migrate(connection)
        except StorageRefused as error:
            raise CommandFailed(str(error)) from error
        yield connection
