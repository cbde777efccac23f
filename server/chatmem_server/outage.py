"""Failures of the database: which of them pass by themselves, and what a caller is told meanwhile; knows no query."""

import asyncpg


class StorageUnavailable(Exception):
    """The database could not be opened; the text says why and what to do."""


class StorageRefused(Exception):
    """The database is there and must not be used as it is; the text says why and what to do."""


AWAY = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    # What asyncpg raises when it rolls back on a connection that was cut.
    asyncpg.InternalClientError,
)
"""Any failure of the database or of the way to it: background work tries again after each."""

PASSING: tuple[type[Exception], ...] = (
    StorageUnavailable,
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""What a later call may find cured. Of an interrupted call nothing is half stored: each is one transaction."""


def told(failure: Exception) -> str:
    """The sentence for the caller, and through it for the person."""
    match failure:
        case StorageUnavailable():
            return str(failure)
        case asyncpg.DiskFullError():
            return "The disk of the memory's database is full; free some space there, then call again."
        case asyncpg.TooManyConnectionsError():
            return "The memory's database has no free connection now; call again in a few seconds."
        case _:
            return "The memory's database does not answer now, it may be restarting; call again in a few seconds."
