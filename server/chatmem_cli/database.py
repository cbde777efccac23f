"""`chatmem database setup`: makes a PostgreSQL of one's own ready, or says what an administrator must run."""

import asyncio

from chatmem.counted import counted
from chatmem.settings import ServerSettings, load
from chatmem_cli.failures import CommandFailed
from chatmem_cli.reach import connected
from chatmem_cli.screen import console
from chatmem_server.outage import StorageRefused
from chatmem_server.postgres.migrate import migrate
from chatmem_server.postgres.readiness import look, prepare
from chatmem_sql import migrations


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
            applied = await migrate(connection, migrations())
        except StorageRefused as error:
            raise CommandFailed(str(error)) from error
        found = await look(connection)
    for statement in done:
        console.print(f"ran: {statement}")
    console.print(
        f"{found.name} with pgvector {found.installed} is ready: {counted(len(applied), 'migration')} applied now. "
        "Start with `chatmem up`."
    )
