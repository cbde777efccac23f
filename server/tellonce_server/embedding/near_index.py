"""Builds a separate vector index for every owner with very many messages, while the server runs.

Below that size, a scan of the codes in the primary key is as fast, and storing a message takes a tenth of the time.
"""

from typing import Final

from tellonce_server.store import near_indexes
from tellonce_server.store.database import Database

LARGE: Final = 20_000
"""Messages from which an owner gets an index. A scan of this many codes takes about 5 ms."""


class NearIndexes:
    """Builds indexes. `dsn` logs in as the tables' owner, because the roles of the pools may not create indexes."""

    def __init__(self, database: Database, dsn: str, large: int = LARGE) -> None:
        self._database = database
        self._dsn = dsn
        self._large = large

    async def build_missing(self) -> int:
        """Build the missing indexes one at a time, in one process at a time. Returns their number."""
        if not await near_indexes.any_missing(self._database, self._large):
            return 0
        return await near_indexes.build(self._dsn, self._large)
