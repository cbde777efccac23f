"""Builds a separate vector index for every owner with very many messages, while the server runs.

Below that size, a scan of the codes in the primary key is as fast, and writing a message costs a tenth.
"""

from typing import Final

from tellonce_server.store import near_indexes
from tellonce_server.store.database import Database

LARGE: Final = 20_000
"""An owner with this many messages needs about 5 ms for a scan of the codes."""


class NearIndexes:
    """Builds indexes. `dsn` logs in as the tables' owner, because the roles of the pools may not create indexes."""

    def __init__(self, database: Database, dsn: str, large: int = LARGE) -> None:
        self._database = database
        self._dsn = dsn
        self._large = large

    async def build_missing(self) -> int:
        """How many were built: one at a time, and by one process at a time."""
        if not await near_indexes.any_missing(self._database, self._large):
            return 0
        return await near_indexes.build(self._dsn, self._large)
