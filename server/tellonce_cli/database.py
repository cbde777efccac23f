"""`tellonce database setup`: prepares an external PostgreSQL, or prints what an administrator must run.

Other commands use this module to get the URL of the database, or a connection after the schema was updated.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from tellonce.plural import counted
from tellonce.settings import ServerSettings, load
from tellonce_cli.screen import CommandFailed, answer, console, hint, with_doctor
from tellonce_server.app.memory_location import refuse_another_memory
from tellonce_server.core.errors import StorageRefused
from tellonce_server.store.backup.restore import in_use
from tellonce_server.store.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.store.postgres.migrations import migrate
from tellonce_server.store.postgres.readiness import look, prepare


async def run() -> None:
    url = load(ServerSettings).login_url
    if url is None:
        console.print("The embedded PostgreSQL needs no setup. To prepare your own PostgreSQL, set DATABASE_URL first.")
        answer({"ran": [], "migrations": 0})
        return
    async with connected(url) as connection:
        done, applied = await _updated(connection)
        found = await look(connection)
    for statement in done:
        console.print(f"ran: {statement}")
    console.print(
        f"{found.name} with pgvector {found.installed} is ready: {counted(len(applied), 'migration')} applied now."
    )
    hint("Next: tellonce up starts the memory there.")
    answer({"ran": done, "migrations": len(applied)})


async def _updated(connection: Any) -> tuple[Sequence[str], Sequence[object]]:
    """Prepare the database and update its schema. Returns the statements that prepared the database, and the applied
    migrations."""
    try:
        return await prepare(connection), await migrate(connection)
    except StorageRefused as error:
        raise CommandFailed(str(error)) from error


async def refuse_if_in_use(connection: Any, then: str) -> None:
    if await in_use(connection):
        raise CommandFailed(f"the memory is in use; stop `tellonce up` and every client first, then {then}.")


@asynccontextmanager
async def database(settings: ServerSettings) -> AsyncGenerator[str]:
    """The URL of the memory's database during the block. The embedded PostgreSQL is started if it is not running."""
    if settings.login_url is not None:
        yield settings.login_url
        return
    embedded = EmbeddedPostgres(settings.data_dir / "postgres")
    try:
        refuse_another_memory(settings)
        yield await embedded.start()
    except StorageRefused as error:
        raise CommandFailed(with_doctor(error)) from error
    finally:
        await embedded.release()


@asynccontextmanager
async def connected(dsn: str) -> AsyncGenerator[Any]:
    """Open a connection to the database for the block. Raises CommandFailed if PostgreSQL does not answer."""
    try:
        connection: Any = await asyncpg.connect(dsn)
    except (OSError, asyncpg.PostgresError, ValueError, TimeoutError) as error:
        raise CommandFailed(with_doctor(f"PostgreSQL does not answer ({error})")) from error
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def current(dsn: str) -> AsyncGenerator[Any]:
    """Open a connection to the database for the block, after updating the schema."""
    async with connected(dsn) as connection:
        await _updated(connection)
        yield connection
