"""Opens PostgreSQL, brings its schema up to date, makes the actors and keeps the background tasks running."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import asyncpg
from mcp.server.auth.provider import AccessToken

from chatmem.journal import journal
from chatmem.settings import Remote, ServerSettings
from chatmem_server.actors import Actors, make_actors
from chatmem_server.auth import TokenVerifier, ensure_local_tokens
from chatmem_server.background import Background
from chatmem_server.embedding.active import ActiveEmbedder
from chatmem_server.embedding.choose import choose_embedder, embedder_named
from chatmem_server.embedding.generations import Generations, follow
from chatmem_server.embedding.near_index import NearIndexes
from chatmem_server.erasure.scrubbing import Scrubber
from chatmem_server.events import Announcer, Listener
from chatmem_server.oauth import JwtVerifier, SigningKeys, is_jwt
from chatmem_server.outage import StorageUnavailable
from chatmem_server.postgres.embedded import SUPERUSER, EmbeddedPostgres
from chatmem_server.postgres.migrate import migrate
from chatmem_server.services import Kit
from chatmem_server.store import tokens
from chatmem_server.store.database import Database, open_database
from chatmem_server.subscriptions import Changes
from chatmem_sql import migrations

KEY_NAME = "memory"
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 15.0
"""Seconds between attempts to open the database."""

logger = logging.getLogger(__name__)


def utc_now() -> datetime:
    return datetime.now(UTC)


class Storage:
    """One process's hold on the memory. Entered once; until it is up, `actors()` waits."""

    def __init__(self, settings: ServerSettings, now: Callable[[], datetime] = utc_now) -> None:
        self.settings = settings
        self.changes = Changes()
        self.verifier = LateVerifier(self, settings.remote)
        self.embedder = ActiveEmbedder(choose_embedder(settings), lambda model: embedder_named(model, settings))
        self.generations: Generations | None = None
        self.scrubber: Scrubber | None = None
        self._admin_dsn: str | None = None
        self._now = now
        self._actors: asyncio.Future[Actors] | None = None
        self._emit = journal("server", settings, now)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Storage"]:
        """Open in the background, so that a client's handshake never waits for PostgreSQL; close on the way out."""
        self._actors = asyncio.get_running_loop().create_future()
        async with AsyncExitStack() as stack:
            opening = asyncio.create_task(self._open(stack))
            try:
                yield self
            finally:
                opening.cancel()
                await asyncio.gather(opening, return_exceptions=True)

    async def actors(self) -> Actors:
        """The actors, once storage is up.

        Raises:
            StorageUnavailable: when it could not be opened.
        """
        if self._actors is None:
            raise StorageUnavailable("The memory is not running yet; try again.")
        return await asyncio.shield(self._actors)

    async def health(self) -> dict[str, Any]:
        """Whether calls can be answered, and what still comes up. Never waits."""
        future = self._actors
        failed = future is not None and future.done() and future.exception() is not None
        return {
            "ready": future is not None and future.done() and not failed,
            "reason": str(future.exception()) if future is not None and failed else None,
            "embeddings": self.embedder.state,
        }

    def observe(self, tool: str, seconds: float, ok: bool) -> None:
        self._emit("tool_call", tool=tool, ms=round(seconds * 1000, 2), ok=ok)

    async def _open(self, stack: AsyncExitStack) -> None:
        """Open, however often it takes: a database that is away at the start comes back without a person here."""
        started, pause = time.perf_counter(), FIRST_PAUSE
        while not await self._opened(stack):
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
        self._emit("storage_open", ms=round((time.perf_counter() - started) * 1000))

    async def _opened(self, stack: AsyncExitStack) -> bool:
        async with AsyncExitStack() as attempt:
            try:
                actors = await self._make(attempt)
            except Exception as error:
                # An edge: whatever it is, callers are to hear of it instead of waiting for ever.
                logger.exception("storage could not be opened; trying again")
                self._settle(StorageUnavailable(f"The memory's database cannot be opened: {error}"))
                return False
            self._settle(actors)
            await stack.enter_async_context(attempt.pop_all())
            return True

    def _settle(self, outcome: Actors | StorageUnavailable) -> None:
        """Answer those who wait for the actors, and whoever asks until the next attempt."""
        assert self._actors is not None  # set before storage is opened
        if self._actors.done():
            self._actors = asyncio.get_running_loop().create_future()
        if isinstance(outcome, Actors):
            self._actors.set_result(outcome)
        else:
            self._actors.set_exception(outcome)
            # Mark it as seen: over stdio there may be nobody who asks.
            self._actors.exception()

    async def _make(self, stack: AsyncExitStack) -> Actors:
        dsn = await self._dsn(stack)
        database = await _pool(stack, dsn, durable=True)
        traces = await _pool(stack, dsn, durable=False)
        announcer = Announcer(database)
        kit = Kit(self.settings, database, traces, self.embedder, self._now, announcer, self._emit)
        await ensure_local_tokens(database, self.settings, self._now())
        key = await tokens.obtain_key(database, KEY_NAME, secrets.token_bytes(32), self._now())
        actors = make_actors(kit, key)
        await actors.work.tidy()
        await follow(database, self.embedder, self._now())
        listener = Listener(dsn, self.changes, actors.work.wake)
        self.scrubber = Scrubber(kit, dsn, self._admin_dsn)
        self.generations = Generations(dsn, self._now)
        near = NearIndexes(database, dsn)
        await stack.enter_async_context(
            Background(actors, announcer, listener, self.scrubber, near, self._follow_model(kit)).running()
        )
        return actors

    def _follow_model(self, kit: Kit) -> Callable[[], Awaitable[None]]:
        return lambda: follow(kit.database, self.embedder, self._now())

    async def _dsn(self, stack: AsyncExitStack) -> str:
        url = self.settings.database_url
        if url is not None:
            await _migrate(url.get_secret_value())
            return url.get_secret_value()
        embedded = EmbeddedPostgres(self.settings.data_dir / "postgres")
        stack.push_async_callback(embedded.release)
        dsn = await embedded.start()
        await stack.enter_async_context(embedded.kept_up())
        self._admin_dsn = embedded.dsn(SUPERUSER)
        await _migrate(dsn)
        return dsn


class LateVerifier:
    """Verifies an issuer's tokens by its keys, and our own once storage is up: the HTTP port answers before."""

    def __init__(self, storage: Storage, remote: Remote) -> None:
        self._storage = storage
        self._issued = JwtVerifier(remote, SigningKeys(remote.jwks_url)) if remote.issuer else None

    async def verify_token(self, token: str) -> AccessToken | None:
        if is_jwt(token):
            return await self._issued.verify_token(token) if self._issued is not None else None
        actors = await self._storage.actors()
        return await TokenVerifier(actors.kit.database).verify_token(token)


async def _migrate(dsn: str) -> None:
    connection: Any = await asyncpg.connect(dsn)
    try:
        await migrate(connection, migrations())
    finally:
        await connection.close()


async def _pool(stack: AsyncExitStack, dsn: str, *, durable: bool) -> Database:
    database = await open_database(dsn, durable=durable, size=12 if durable else 3)
    stack.push_async_callback(database.close)
    return database
