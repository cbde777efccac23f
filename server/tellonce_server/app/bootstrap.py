"""Opens the pools, creates the services and starts the background tasks. A process imports this module only when it
opens the memory, because the module imports all services and queries."""

import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tellonce.journal import Emit, journal, utc_now
from tellonce.settings import ServerSettings
from tellonce.side_tasks import SideTasks
from tellonce_server.app.access_tokens import ensure_local_tokens
from tellonce_server.app.background import side_tasks
from tellonce_server.app.events import Announcer, Listener
from tellonce_server.app.memory_location import OpenDatabase, note_external
from tellonce_server.core.subscriptions import Changes
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.scrub import Scrubber
from tellonce_server.domain.memory import expiry
from tellonce_server.domain.memory.retraction import queue_profile_of
from tellonce_server.domain.tombstones import Tombstones
from tellonce_server.embedding.protocol import Embedder, NoEmbedder
from tellonce_server.services.services import Services
from tellonce_server.store import calendar, near_indexes, tokens
from tellonce_server.store.database import as_login, one_transaction, open_routed

KEY_NAME = "memory"


@dataclass(frozen=True)
class Opened:
    """An open memory: its services, and other objects that commands need."""

    services: Services
    scrubber: Scrubber
    login: str
    """The URL with the login that owns the tables."""
    side_tasks: SideTasks


async def open_memory(
    settings: ServerSettings,
    opened: OpenDatabase,
    now: Callable[[], datetime],
    embedder: Embedder,
    changes: Changes,
    emit: Emit,
    stack: AsyncExitStack,
    *,
    keeps_tokens: bool,
) -> Opened:
    """Open the memory in the database. The memory is closed when `stack` is closed."""
    dsn = opened.route.direct
    settings = await _in_calendar(dsn, settings, now(), serves=keeps_tokens)
    database = await open_routed(opened.route)
    stack.push_async_callback(database.close)
    announcer = Announcer(database)
    key = await _access(dsn, settings, now(), keeps_tokens=keeps_tokens)
    deps = Dependencies(settings, database, embedder, Tombstones(key), now, announcer, emit)
    services = Services(deps, key)
    stack.push_async_callback(services.receipts.written)
    await services.work.tidy()
    await expiry.tidy(deps)
    listener = Listener(dsn, changes, services.work.wake)
    scrubber = Scrubber(deps, dsn, opened.superuser_dsn)
    await scrubber.scrub_if_overdue()
    tasks = side_tasks(
        *(services, announcer, listener, scrubber),
        lambda: near_indexes.build_missing(database, dsn),
    )
    running = await stack.enter_async_context(SideTasks((*opened.keepers, *tasks)).running())
    return Opened(services, scrubber, dsn, running)


@asynccontextmanager
async def open_in_one_transaction(settings: ServerSettings, dsn: str) -> AsyncGenerator[tuple[Any, Services]]:
    """One transaction, and services that work in it. Other processes are not notified, so none may use the memory
    during the block."""
    async with as_login(dsn) as login:
        zone = await calendar.zone(login) or settings.timezone
    quiet = settings.model_copy(update={"embeddings": "none", "timezone": zone})
    key = await _access(dsn, quiet, utc_now(), keeps_tokens=False)
    async with one_transaction(dsn) as (connection, database):
        deps = Dependencies(
            *(quiet, database, NoEmbedder(), Tombstones(key), utc_now),
            announce=lambda channel, payload: None,
            emit=journal("server", quiet, utc_now),
        )
        yield connection, Services(deps, key)


async def _in_calendar(dsn: str, settings: ServerSettings, now: datetime, *, serves: bool) -> ServerSettings:
    """The settings with the time zone in which whole days are stored. The HTTP server (`serves`) may change this zone.
    Another process may run in a container, where the system's time zone can be different."""
    async with as_login(dsn) as login:
        chosen = "timezone" in settings.model_fields_set and await calendar.alone(login)
        if serves or chosen or await calendar.fresh(login):
            async with login.savepoint():
                for owner in await calendar.follow(login, settings.timezone, now):
                    await queue_profile_of(login, owner, now)
        zone = await calendar.zone(login) or settings.timezone
    return settings.model_copy(update={"timezone": zone})


async def _access(dsn: str, settings: ServerSettings, now: datetime, *, keeps_tokens: bool) -> bytes:
    async with as_login(dsn) as login:
        if keeps_tokens:
            await ensure_local_tokens(login, settings, now)
            note_external(settings)
        return await tokens.obtain_key(login, KEY_NAME, secrets.token_bytes(32), now)
