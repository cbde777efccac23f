"""`tellonce database setup`: prepares an external PostgreSQL, or prints what an administrator must run."""

import asyncio

from tellonce.plural import counted
from tellonce.settings import ServerSettings, load
from tellonce_cli.reach import connected
from tellonce_cli.screen import CommandFailed, console
from tellonce_server.core.errors import StorageRefused
from tellonce_server.store.postgres.migrate import migrate
from tellonce_server.store.postgres.readiness import look, prepare


def run() -> int:
    asyncio.run(_setup(load(ServerSettings)))
    return 0


async def _setup(settings: ServerSettings) -> None:
    if settings.login_url is None:
        console.print("The embedded PostgreSQL sets itself up. For one of your own, set DATABASE_URL first.")
        return
    async with connected(settings.login_url) as connection:
        try:
            done = await prepare(connection)
            applied = await migrate(connection)
        except StorageRefused as error:
            raise CommandFailed(str(error)) from error
        found = await look(connection)
    for statement in done:
        console.print(f"ran: {statement}")
    console.print(
        f"{found.name} with pgvector {found.installed} is ready: {counted(len(applied), 'migration')} applied now. "
        "Start with `tellonce up`."
    )
