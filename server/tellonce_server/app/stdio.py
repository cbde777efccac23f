"""Serves one user over stdio, for clients such as Claude Desktop and Claude Code that start the server themselves."""

import asyncio
import importlib
import os

from tellonce.settings import ServerSettings
from tellonce.shutdown import shutdown_requested
from tellonce.side_tasks import SideTask, SideTasks
from tellonce_server.app.own_summarizer import OwnSummarizer, may_start
from tellonce_server.app.server import build_server
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import StorageUnavailable

GRACE_SECONDS = 5.0


async def serve_stdio(settings: ServerSettings) -> None:
    """Serve until the client closes the connection, or until SIGINT or SIGTERM."""
    storage = Storage(settings, keeps_tokens=False)
    server = build_server(settings, storage, auth=False)
    requested = shutdown_requested()
    learning = OwnSummarizer(settings, storage, may_start=may_start(settings))
    tasks = [SideTask("learning", learning.run)]
    if not settings.user_ids:
        tasks.append(SideTask("whose memory", lambda: _warn_of_another_user(storage), ends=True))
    async with storage.running(), SideTasks(tasks).running():
        serving = asyncio.create_task(server.run_stdio_async())
        stopping = asyncio.create_task(requested.wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    if not serving.done():
        # A thread of the SDK still reads from stdin and cannot be interrupted, so the process is ended at once. Storage
        # is already closed, so no data is lost.
        os._exit(0)
    await serving


async def _warn_of_another_user(storage: Storage) -> None:
    try:
        await storage.services()
    except StorageUnavailable:
        return
    # Imported only here, so that no client's handshake waits for the import.
    module = await asyncio.to_thread(importlib.import_module, "tellonce_server.app.another_user")
    await module.warn_of_another_user(storage)
