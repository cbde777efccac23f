"""Replaces the embedding model while the memory is in use. The new vectors are stored beside the old vectors, and one
transaction switches to the new vectors.

Searches use the old model until the switch commits. A vector of another model counts as missing. The old vectors are
kept for a rollback until the next change begins.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from tellonce_server.embedding.active import ActiveEmbedder
from tellonce_server.embedding.backlog import embedded
from tellonce_server.embedding.protocol import Embedder
from tellonce_server.store import generations
from tellonce_server.store.database import Database

BATCH: Final = 64

Progress = Callable[[int], None]
"""A function that is called with the number of texts embedded since the last call."""


class NoWayBack(Exception):
    """There is no former model to return to."""


class Generations:
    """Changes models. `dsn` logs in as the role that owns the tables, because the rows of every user are read."""

    def __init__(self, dsn: str, now: Callable[[], datetime]) -> None:
        self._dsn = dsn
        self._now = now

    async def change_to(self, embedder: Embedder, progress: Progress) -> int | None:
        """Embed all texts with the new model and switch to it. An interrupted change is continued. Returns the number
        of embedded texts, or None if the model was already active."""
        async with generations.session(self._dsn) as connection:
            if await generations.active(connection) == embedder.model:
                return None
            await generations.drop_others(connection, embedder.model)
            count = 0
            for kind in generations.KINDS:
                count += await _prepare(connection, kind, embedder, progress)
            await generations.switch(connection, embedder.model, self._now())
            return count

    async def go_back(self) -> str:
        """Switch to the former model and return its name. Raises NoWayBack."""
        async with generations.session(self._dsn) as connection:
            former = await generations.former(connection)
            if former is None:
                raise NoWayBack("There was no other embedding model before this one.")
            await generations.switch(connection, former, self._now())
            return former


async def _prepare(connection: Any, kind: str, embedder: Embedder, progress: Progress) -> int:
    count, after = 0, generations.BEGINNING
    while rows := await generations.left(connection, kind, embedder.model, after, BATCH):
        new = await embedded(embedder, rows)
        await generations.keep(connection, kind, embedder.model, new)
        after = new[-1][:3]
        count += len(rows)
        progress(len(rows))
    return count


async def follow(database: Database, embedder: ActiveEmbedder, now: datetime) -> None:
    """Embed with the active model from now on. If there is no active model yet, the configured model becomes the active
    one."""
    if not embedder.off:
        embedder.follow(await generations.settle(database, embedder.model, now))
