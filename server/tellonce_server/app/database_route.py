"""Finds or starts the memory's database and updates its schema. This module does not import the services, so that the
database can start while another thread imports them."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import asyncpg

from tellonce.settings import ServerSettings
from tellonce.side_tasks import SideTask
from tellonce_server.app.memory_location import refuse_another_memory
from tellonce_server.store.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.store.postgres.migrations import migrate
from tellonce_server.store.postgres.readiness import prepare
from tellonce_server.store.route import Route, find_route, unpooled


@dataclass(frozen=True)
class OpenDatabase:
    """The route to the database. For an embedded PostgreSQL, also the superuser's URL and the task that keeps
    PostgreSQL running."""

    route: Route
    superuser_dsn: str | None = None
    keepers: tuple[SideTask, ...] = ()


async def open_database(settings: ServerSettings, stack: AsyncExitStack) -> OpenDatabase:
    """Open the configured database. An embedded PostgreSQL is released when `stack` is closed."""
    url, direct = settings.database_url, settings.database_direct_url
    if url is not None:
        route = await find_route(url.get_secret_value(), direct.get_secret_value() if direct is not None else None)
        await _migrate(route.direct)
        return OpenDatabase(route)
    refuse_another_memory(settings)
    embedded = EmbeddedPostgres(settings.data_dir / "postgres")
    stack.push_async_callback(embedded.release)
    dsn = await embedded.start()
    await _migrate(dsn)
    keeper = SideTask("keeping PostgreSQL up", embedded.keep_up, vital=True)
    return OpenDatabase(unpooled(dsn), embedded.dsn(SUPERUSER), (keeper,))


async def _migrate(dsn: str) -> None:
    connection: Any = await asyncpg.connect(dsn)
    try:
        await prepare(connection)
        await migrate(connection)
    finally:
        await connection.close()
