"""Announces changes to every server process with LISTEN/NOTIFY. Each process notifies its subscribers."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import asyncpg

from tellonce_server.core.errors import DATABASE_ERRORS, DATABASE_FAILURES
from tellonce_server.core.subscriptions import Change, Changes
from tellonce_server.domain.dependencies import CHANGES, FORGOTTEN, WORK
from tellonce_server.store.database import Database
from tellonce_text import caches

RECONNECT_SECONDS = 1.0
MOST_WAITING = 10_000


class Announcer:
    """Sends announcements after the commit. A lost announcement does no harm, because other processes also poll."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: asyncio.Queue[tuple[str, str]] = asyncio.Queue(MOST_WAITING)

    def __call__(self, channel: str, payload: str) -> None:
        if not self._waiting.full():
            self._waiting.put_nowait((channel, payload))

    async def run(self) -> None:
        while True:
            batch = {await self._waiting.get(): None}
            while not self._waiting.empty():
                batch[self._waiting.get_nowait()] = None
            await self._send(list(batch))

    async def _send(self, batch: list[tuple[str, str]]) -> None:
        try:
            await self._database.notify(batch)
        except DATABASE_FAILURES as error:
            DATABASE_ERRORS.noted(error)  # the batch is lost; other processes also poll


@dataclass(frozen=True)
class Listener:
    """Receives the announcements of all processes, wakes workers, and notifies subscribers of the changed resource."""

    dsn: str
    changes: Changes
    wake: Callable[[], None]

    async def run(self) -> None:
        while True:
            try:
                await self._listen()
            except DATABASE_FAILURES as error:
                DATABASE_ERRORS.noted(error)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(self.dsn)
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        try:
            await connection.add_listener(FORGOTTEN, lambda *_: caches.clear())
            await connection.add_listener(WORK, lambda *_: self.wake())
            await connection.add_listener(CHANGES, self._on_change)
            # The cached texts may have been erased while this process could not receive announcements.
            caches.clear()
            await lost.wait()
        finally:
            # An error here would replace a cancellation. The task would then not end, but listen again.
            with suppress(*DATABASE_FAILURES):
                await connection.close(timeout=1)

    def _on_change(self, _connection: Any, _pid: int, _channel: str, payload: Any) -> None:
        owner, _, uri = str(payload).partition(" ")
        self.changes.tell(Change(int(owner), uri))
