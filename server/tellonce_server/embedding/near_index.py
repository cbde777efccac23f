"""Gives every owner with very many messages a vector index of its own, built while the server goes on; searches nothing.

Below that size a scan of the codes in the primary key is as fast, and a message costs a tenth to write.
"""

from typing import Final

from tellonce_server.store import near_indexes
from tellonce_server.store.database import Database

LARGE: Final = 20_000
"""Messages of an owner whose codes take some 5 ms to scan."""


class NearIndexes:
    """`dsn` logs in as the tables' owner: the roles of the pools may make no index."""

    def __init__(self, database: Database, dsn: str, large: int = LARGE) -> None:
        self._database = database
        self._dsn = dsn
        self._large = large

    async def build_missing(self) -> int:
        """How many were built: one at a time, and by one process at a time."""
        if not await near_indexes.any_missing(self._database, self._large):
            return 0
        return await near_indexes.build(self._dsn, self._large)
