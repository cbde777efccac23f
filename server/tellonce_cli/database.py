"""`tellonce database setup`: prepares an external PostgreSQL, or prints what an administrator must run.

Other commands use this module to connect to the database, and to find a memory that the configured user does not see.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from tellonce.plural import quantity
from tellonce.settings import DEFAULT_USER_ID, ServerSettings, load
from tellonce_cli.hosts import shown_command
from tellonce_cli.screen import CommandFailed, answer, console, hint, with_doctor
from tellonce_server.app.memory_location import has_memory, refuse_another_memory
from tellonce_server.backup.restore import Texts, in_use, texts_held
from tellonce_server.core.errors import StorageRefused
from tellonce_server.postgres.embedded_server import EmbeddedPostgres, EmbeddedPostgresError
from tellonce_server.postgres.migrations import migrate
from tellonce_server.postgres.readiness import look, prepare


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
        f"{found.name} with pgvector {found.installed} is ready: {quantity(len(applied), 'migration')} applied now."
    )
    hint("Next: tellonce up starts the memory there.")
    answer({"ran": done, "migrations": len(applied)})


async def _updated(connection: Any) -> tuple[Sequence[str], Sequence[object]]:
    """Returns the statements that prepared the database, and the applied migrations."""
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


def move_command(former: int, heir: int, *, joined: bool) -> str:
    """The command that moves the memory of one user to another."""
    return f"{shown_command()} database move-user {former} {heir}{' --join' if joined else ''}"


async def hidden_memory(settings: ServerSettings) -> str | None:
    """The sentence of `hidden_owner` about this machine's database. None if the database cannot be read."""
    if not has_memory(settings):
        return None
    try:
        async with database(settings) as dsn, connected(dsn) as connection:
            return hidden_owner(await texts_held(connection), settings)
    except (CommandFailed, EmbeddedPostgresError, OSError, asyncpg.PostgresError):
        return None


def hidden_owner(held: Mapping[int, Texts], settings: ServerSettings) -> str | None:
    """A sentence with the remedy, if a memory is not visible with these settings. Else None. `held` contains the number
    of texts of each owner. The local user's memory is hidden until it is moved."""
    texts, user = {owner: sum(each) for owner, each in held.items()}, settings.default_user
    own = texts.get(user, 0)
    local = texts.get(DEFAULT_USER_ID, 0) if user != DEFAULT_USER_ID else 0
    if local:
        return (
            f"{held[DEFAULT_USER_ID]} belong to the local user of this computer (user {DEFAULT_USER_ID}), so user "
            f"{user} does not see them. To move them to user {user}, stop Tellonce and run: "
            f"{move_command(DEFAULT_USER_ID, user, joined=bool(own))}"
        )
    others = [owner for owner, count in texts.items() if count and owner > 0 and owner not in settings.user_ids]
    if own or not others:
        return None
    holder = max(others, key=lambda owner: texts[owner])
    return (
        f"This memory holds nothing of user {user}. It holds the memory of user {holder}: set TELEGRAM_USER_ID={holder} "
        f"(copy your .env), or move it: {move_command(holder, user, joined=False)}"
    )
