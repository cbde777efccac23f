"""Failures of the database: which of them pass by themselves, and what a caller is told meanwhile; knows no query."""

import logging
import time
from collections.abc import Callable

import asyncpg

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2
"""When a caller who was told to call again may do so."""


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


class OutageLog:
    """One line in the log when an outage begins and one when it is over, however many calls it meets."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sentence: str | None = None
        self._began = 0.0
        self._failures = 0

    def noted(self, failure: Exception) -> str:
        """The sentence for the caller of what failed."""
        sentence = told(failure)
        self._failures += 1
        if sentence != self._sentence:
            if self._sentence is None:
                self._began, self._failures = self._clock(), 1
            self._sentence = sentence
            logger.warning("%s (%s)", sentence, type(failure).__name__)
        return sentence

    def answered(self) -> None:
        """The database has just answered."""
        if self._sentence is not None:
            seconds = self._clock() - self._began
            logger.warning("the database answers again, after %.0f s and %d failures", seconds, self._failures)
            self._sentence = None


OUTAGES = OutageLog()
"""This process's own."""


def cause_in(error: BaseException) -> Exception | None:
    """The failure that passes among an exception and what caused it, if there is one."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, PASSING):
            return found
        found = found.__cause__
    return None
