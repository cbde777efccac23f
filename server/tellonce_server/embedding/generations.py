"""Changes the model of all vectors while the memory is in use: prepared beside the old ones, switched in one transaction.

Searches answer from the old model until the switch commits, and from the new one after; a vector of the wrong one is taken
for none. The old vectors are kept for a way back until the next change is begun.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from tellonce_server.embedding.active import ActiveEmbedder
from tellonce_server.embedding.protocol import Embedder
from tellonce_server.store import generations
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database

BATCH: Final = 64

Progress = Callable[[int], None]
"""How many texts were embedded since the last word."""


class NoWayBack(Exception):
    """There is no former model to go back to; the text says so."""


class Generations:
    """`dsn` logs in as the tables' owner: the work is on all owners' rows at once."""

    def __init__(self, dsn: str, now: Callable[[], datetime]) -> None:
        self._dsn = dsn
        self._now = now

    async def change_to(self, embedder: Embedder, progress: Progress) -> int | None:
        """Embed all texts anew and switch; how many texts were embedded now, None when the model was active already.

        Begun again, it goes on where it ended.
        """
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
        """Switch to the former model, whose name is returned. Raises NoWayBack."""
        async with generations.session(self._dsn) as connection:
            former = await generations.former(connection)
            if former is None:
                raise NoWayBack("There was no other embedding model before this one.")
            await generations.switch(connection, former, self._now())
            return former


async def _prepare(connection: Any, kind: str, embedder: Embedder, progress: Progress) -> int:
    count, after = 0, generations.BEGINNING
    while rows := await generations.left(connection, kind, embedder.model, after, BATCH):
        vectors = await embedder.embed([row["text"] for row in rows], urgent=False)
        kept = [
            (*row[:4], ModelVector(v, embedder.model), code(v, embedder.mean))
            for row, v in zip(rows, vectors, strict=True)
        ]
        await generations.keep(connection, kind, embedder.model, kept)
        after = (rows[-1]["owner_id"], rows[-1]["chat_id"], rows[-1]["id"])
        count += len(rows)
        progress(len(rows))
    return count


async def follow(database: Database, embedder: ActiveEmbedder, now: datetime) -> None:
    """Let this process embed with the active model; the first model that comes to an empty memory becomes it."""
    if not embedder.off:
        embedder.follow(await generations.settle(database, embedder.model, now))
