"""Opens the storage of one process and keeps it open. Clients can connect and list the tools before the storage is
open."""

import asyncio
import importlib
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias
from zoneinfo import ZoneInfo

from mcp.server.auth.provider import AccessToken

from tellonce.journal import journal, utc_now
from tellonce.settings import Remote, ServerSettings
from tellonce.shutdown import ended
from tellonce_server.app.access_tokens import session_access
from tellonce_server.app.loop_watch import LoopWatch
from tellonce_server.app.memory_location import open_database
from tellonce_server.app.oauth import JwtVerifier, SigningKeys, is_jwt
from tellonce_server.app.token_verifier import TokenVerifier
from tellonce_server.core.errors import DATABASE_FAILURES, StorageRefused, StorageUnavailable
from tellonce_server.core.subscriptions import Changes
from tellonce_server.embedding.local_embedder import LocalEmbedder
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.embedding.protocol import Embedder, NoEmbedder
from tellonce_server.services.page.sessions import PREFIX

if TYPE_CHECKING:
    from tellonce_server.app.bootstrap import Opened
    from tellonce_server.services.services import Services

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 15.0
"""Maximum seconds between attempts to open the database."""

OnCall: TypeAlias = Callable[[str, float, bool], None]
"""Called after each tool call with the tool's name, the seconds, and whether the call succeeded."""

logger = logging.getLogger(__name__)


def configured_embedder(settings: ServerSettings) -> Embedder:
    if settings.embeddings == "none":
        return NoEmbedder()
    return LocalEmbedder(settings.data_dir / "models" / MODEL, settings.embedding_model_dir)


class Storage:
    """The storage of one process. `services()` waits until `running()` has opened the storage. Only a process with
    `keeps_tokens` writes this machine's tokens, because other processes may serve another user."""

    def __init__(
        self, settings: ServerSettings, now: Callable[[], datetime] = utc_now, *, keeps_tokens: bool = True
    ) -> None:
        self.settings = settings
        self.changes = Changes()
        self.verifier = LateVerifier(self, settings.remote)
        self.embedder = configured_embedder(settings)
        self._opened_as: Opened | None = None
        self._watch = LoopWatch()
        self._reported = ""
        self._on_call: list[OnCall] = []
        self._now = now
        self._keeps_tokens = keeps_tokens
        self._services: asyncio.Future[Services] | None = None
        self._emit = journal("server", settings, now)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Storage"]:
        """Open the storage in the background, so that no handshake waits for PostgreSQL; close it after the block."""
        self._services = asyncio.get_running_loop().create_future()
        async with AsyncExitStack() as stack:
            opening = asyncio.create_task(self._open(stack))
            try:
                with self._watch.watching():
                    yield self
            finally:
                await ended(opening)

    async def services(self) -> "Services":
        """The services, once storage is open. Raises StorageUnavailable if the storage could not be opened."""
        if self._services is None:
            raise StorageUnavailable("The memory is not running yet; try again.", "database_starting")
        return await asyncio.shield(self._services)

    @property
    def opened(self) -> "Opened":
        assert self._opened_as is not None  # callers have waited for the services
        return self._opened_as

    async def health(self) -> dict[str, Any]:
        """The health report. Never waits."""
        future = self._services
        failure = future.exception() if future is not None and future.done() else None
        return {
            "ready": future is not None and future.done() and failure is None,
            "reason": str(failure) if failure is not None else None,
            "embeddings": self.embedder.state,
            "tasks": self._opened_as.side_tasks.health if self._opened_as is not None else {},
            "blocked": self._watch.episodes,
        }

    def zone(self) -> ZoneInfo:
        """The time zone of the stored whole days. Until the storage is open, the zone of this process."""
        opened = self._opened_as
        return opened.services.deps.zone if opened is not None else ZoneInfo(self.settings.timezone)

    def on_call(self, heard: OnCall) -> None:
        """Register a listener for completed tool calls."""
        self._on_call.append(heard)

    def observe(self, tool: str, seconds: float, ok: bool) -> None:
        for heard in self._on_call:
            heard(tool, seconds, ok)
        self._emit("tool_call", tool=tool, ms=round(seconds * 1000, 2), ok=ok)

    async def _open(self, stack: AsyncExitStack) -> None:
        started, pause = time.perf_counter(), FIRST_PAUSE
        while not await self._opened(stack):
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
        self._emit("storage_open", ms=round((time.perf_counter() - started) * 1000))

    async def _opened(self, stack: AsyncExitStack) -> bool:
        async with AsyncExitStack() as attempt:
            try:
                services = await self._make(attempt)
            except Exception as error:
                # Any error is caught here, because callers must get an answer instead of waiting forever.
                self._log(error)
                text = f"The memory's database cannot be opened: {error}"
                self._settle(StorageUnavailable(text, "database_closed", reason=str(error)))
                return False
            self._settle(services)
            await stack.enter_async_context(attempt.pop_all())
            return True

    def _log(self, error: Exception) -> None:
        """A person must fix a StorageRefused, so it is logged once, as one line."""
        if isinstance(error, (*DATABASE_FAILURES, StorageRefused)):
            if str(error) != self._reported:
                logger.error("the memory's database cannot be opened, trying again: %s", error)
            self._reported = str(error)
        else:
            logger.exception("storage could not be opened; trying again")

    def _settle(self, outcome: "Services | StorageUnavailable") -> None:
        """Give the outcome to all callers until the next attempt."""
        assert self._services is not None  # set by `running` before the storage is opened
        if self._services.done():
            self._services = asyncio.get_running_loop().create_future()
        if isinstance(outcome, StorageUnavailable):
            self._services.set_exception(outcome)
            # Retrieve the exception here, because asyncio logs an exception that nobody retrieves.
            self._services.exception()
        else:
            self._services.set_result(outcome)

    async def _make(self, stack: AsyncExitStack) -> "Services":
        # The services are imported in a thread. At the same time, PostgreSQL starts, and a client can list the tools.
        importing = asyncio.create_task(asyncio.to_thread(importlib.import_module, "tellonce_server.app.bootstrap"))
        database = await open_database(self.settings, stack)
        opened: Opened = await (await importing).open_memory(
            self.settings,
            database,
            self._now,
            self.embedder,
            self.changes,
            self._emit,
            stack,
            keeps_tokens=self._keeps_tokens,
        )
        self._opened_as = opened
        return opened.services


class LateVerifier:
    """Verifies the tokens of an issuer with the issuer's keys. Verifies our own tokens with the database, once it is
    open."""

    def __init__(self, storage: Storage, remote: Remote) -> None:
        self._storage = storage
        self._own: TokenVerifier | None = None
        self._issued = JwtVerifier(remote, SigningKeys(remote.jwks_url)) if remote.issuer else None

    async def verify_token(self, token: str) -> AccessToken | None:
        if is_jwt(token):
            return await self._issued.verify_token(token) if self._issued is not None else None
        services = await self._storage.services()
        if self._own is None or self._own.database is not services.deps.database:
            self._own = TokenVerifier(services.deps.database)
        if not token.startswith(PREFIX):
            return await self._own.verify_token(token)
        token_hash = services.seal.token_hash(token, services.deps.now())
        access = await self._own.access(token, token_hash) if token_hash is not None else None
        return session_access(access, services.deps.settings.default_user)
