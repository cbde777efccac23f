"""Runs a summarizer for a stdio server if no other summarizer is running. At most one such summarizer runs for each
data folder, and it stops with the server.

If the settings do not allow a summarizer, every context contains a notice that nothing is being learned.
"""

import asyncio
import importlib
import logging
import secrets
import socket
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from tellonce.children import Child, service_file
from tellonce.file_lock import HeldLock, try_hold
from tellonce.server_text import ServerText
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import DATABASE_ERRORS, DATABASE_FAILURES, StorageUnavailable

if TYPE_CHECKING:
    from tellonce_server.domain.queue.work import Attendance

LOCK_NAME = ".summarizer"
LOOK_SECONDS = 10.0

NOBODY_LEARNS = ServerText(
    "No summarizer is running, so nothing new is learned. Tell the user once: `tellonce service install` or "
    "`tellonce up` starts it.",
    "not_learning",
)

logger = logging.getLogger(__name__)


def may_start(settings: ServerSettings) -> bool:
    """Whether this server may start a summarizer. An installed service runs its own summarizer."""
    if settings.stdio_learns is not None:
        return settings.stdio_learns
    return not service_file().exists()


class OwnSummarizer:
    """The summarizer that a stdio server starts. `run` is a side task of the server."""

    def __init__(
        self, settings: ServerSettings, storage: Storage, *, may_start: bool, look: float = LOOK_SECONDS
    ) -> None:
        self._settings = settings
        self._storage = storage
        self._may_start = may_start
        self._look_seconds = look
        self._child: Child | None = None
        self._worker = f"{socket.gethostname()}-{secrets.token_hex(4)}"

    async def run(self) -> None:
        """Start or stop our summarizer, depending on whether another one is running."""
        async with AsyncExitStack() as stack:
            while True:
                try:
                    services = await self._storage.services()
                    await self._look(services.work.attendance, services.deps.notices, stack)
                except StorageUnavailable:
                    logger.debug("the memory is not open yet")
                except DATABASE_FAILURES as error:
                    DATABASE_ERRORS.noted(error)
                await asyncio.sleep(self._look_seconds)

    async def _look(self, attendance: "Attendance", notices: list[ServerText], stack: AsyncExitStack) -> None:
        others = await attendance.at_work(besides=self._worker)
        if others and self._child is not None:
            logger.info("another summarizer is at work; stopping ours")
            await stack.aclose()
        if not others and self._may_start and self._child is None:
            await self._start(attendance, stack)
        kept = [notice for notice in notices if notice.code != NOBODY_LEARNS.code]
        notices[:] = kept if others or self._child is not None else [*kept, NOBODY_LEARNS]

    async def _start(self, attendance: "Attendance", stack: AsyncExitStack) -> None:
        self._settings.data_dir.mkdir(parents=True, exist_ok=True)
        lock = try_hold(self._settings.data_dir / LOCK_NAME)
        if lock is None:
            return
        stack.callback(self._forget, lock)
        stack.push_async_callback(attendance.left, self._worker)
        # `agent_port` imports an HTTP server. The module is imported only here, so that no client's handshake waits for
        # that import.
        module = await asyncio.to_thread(importlib.import_module, "tellonce_server.app.agent_port")
        port = await stack.enter_async_context(module.agent_port(self._settings, self._storage))
        environment = {"TELLONCE_URL": port.url, "TELLONCE_TOKEN": port.token}
        # The summarizer writes its log to our standard error, because standard output is used for the MCP protocol.
        log = sys.stderr.fileno()
        named = ("--worker", self._worker)
        self._child = Child("summarizer", "tellonce_summarizer", named, environment, logger.warning, output=log)
        task = asyncio.create_task(self._child.supervise(), name="own summarizer")
        stack.callback(task.cancel)
        stack.push_async_callback(self._child.stop)

    def _forget(self, lock: HeldLock) -> None:
        self._child = None
        lock.release()
