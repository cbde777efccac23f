"""Opens PostgreSQL, updates its schema, creates the services and starts the background tasks.

A process imports this module, and with it all services and queries, only when it opens the memory.
"""

import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg

from tellonce.journal import Emit, journal, utc_now
from tellonce.settings import ServerSettings
from tellonce.side_tasks import SideTask, SideTasks
from tellonce_server.app.access_tokens import ensure_local_tokens
from tellonce_server.app.background import Background
from tellonce_server.app.events import Announcer, Listener
from tellonce_server.app.memory_location import note_external, refuse_another_memory
from tellonce_server.core.subscriptions import Changes
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.scrub import Scrubber
from tellonce_server.domain.tombstones import Tombstones
from tellonce_server.embedding.active import ActiveEmbedder, choose_embedder, embedder_named
from tellonce_server.embedding.generations import Generations, follow
from tellonce_server.services.services import Services
from tellonce_server.store import near_indexes, tokens
from tellonce_server.store.database import Database, as_login, one_transaction, open_routed
from tellonce_server.store.postgres.embedded import SUPERUSER, EmbeddedPostgres
from tellonce_server.store.postgres.migrate import migrate
from tellonce_server.store.postgres.readiness import prepare
from tellonce_server.store.route import Route, find_route, unpooled

KEY_NAME = "memory"


@dataclass(frozen=True)
class Opened:
    """An open memory: its services, and other objects that commands need."""

    services: Services
    scrubber: Scrubber
    generations: Generations
    login: str
    """The database URL with the login that owns the tables. This login is used to create and revoke access tokens."""
    side_tasks: SideTasks


async def open_memory(
    settings: ServerSettings,
    now: Callable[[], datetime],
    embedder: ActiveEmbedder,
    changes: Changes,
    emit: Emit,
    stack: AsyncExitStack,
    *,
    keeps_tokens: bool,
) -> Opened:
    """Open the configured memory. The memory is closed when `stack` is closed."""
    route, admin_dsn, keepers = await _route(settings, stack)
    dsn = route.direct
    database = await _pool(stack, route, durable=True)
    traces = await _pool(stack, route, durable=False)
    announcer = Announcer(database)
    key = await _access(dsn, settings, now(), keeps_tokens=keeps_tokens)
    deps = Dependencies(settings, database, traces, embedder, Tombstones(key), now, announcer, emit)
    services = Services(deps, key)
    stack.push_async_callback(services.receipts.written)
    await services.work.tidy()
    await services.expiry.tidy()
    await follow(database, embedder, now())
    listener = Listener(dsn, changes, services.work.wake)
    scrubber = Scrubber(deps, dsn, admin_dsn)
    await scrubber.scrub_if_overdue()
    background = Background(
        services,
        announcer,
        listener,
        scrubber,
        lambda: near_indexes.build_missing(database, dsn),
        lambda: follow(database, embedder, now()),
        keepers,
    )
    side_tasks = await stack.enter_async_context(background.running())
    return Opened(services, scrubber, Generations(dsn, now), dsn, side_tasks)


@asynccontextmanager
async def open_in_one_transaction(settings: ServerSettings, dsn: str) -> AsyncGenerator[tuple[Any, Services]]:
    """The services of the memory in one transaction, and the connection of this transaction. Other processes are not
    notified of changes, so no other process may use the memory."""
    quiet = settings.model_copy(update={"embeddings": "none"})
    key = await _access(dsn, quiet, utc_now(), keeps_tokens=False)
    embedder = ActiveEmbedder(choose_embedder(quiet), lambda model: embedder_named(model, quiet))
    async with one_transaction(dsn) as (connection, database):
        deps = Dependencies(
            *(quiet, database, database, embedder, Tombstones(key), utc_now),
            announce=lambda channel, payload: None,
            emit=journal("server", quiet, utc_now),
        )
        yield connection, Services(deps, key)


async def _access(dsn: str, settings: ServerSettings, now: datetime, *, keeps_tokens: bool) -> bytes:
    """Create the tokens of this machine if `keeps_tokens`, and return the server's secret key."""
    async with as_login(dsn) as login:
        if keeps_tokens:
            await ensure_local_tokens(login, settings, now)
            note_external(settings)
        return await tokens.obtain_key(login, KEY_NAME, secrets.token_bytes(32), now)


async def _route(settings: ServerSettings, stack: AsyncExitStack) -> tuple[Route, str | None, tuple[SideTask, ...]]:
    """Bring the schema of the database up to date and return the route to it. For the embedded PostgreSQL, also return
    the superuser's URL and the task that keeps it running."""
    url, direct = settings.database_url, settings.database_direct_url
    if url is not None:
        route = await find_route(url.get_secret_value(), direct.get_secret_value() if direct is not None else None)
        await _migrate(route.direct)
        return route, None, ()
    refuse_another_memory(settings)
    embedded = EmbeddedPostgres(settings.data_dir / "postgres")
    stack.push_async_callback(embedded.release)
    dsn = await embedded.start()
    await _migrate(dsn)
    return unpooled(dsn), embedded.dsn(SUPERUSER), (SideTask("keeping PostgreSQL up", embedded.keep_up, vital=True),)


async def _migrate(dsn: str) -> None:
    connection: Any = await asyncpg.connect(dsn)
    try:
        await prepare(connection)
        await migrate(connection)
    finally:
        await connection.close()


async def _pool(stack: AsyncExitStack, route: Route, *, durable: bool) -> Database:
    database = await open_routed(route, durable=durable, size=12 if durable else 3)
    stack.push_async_callback(database.close)
    return database
