"""Decides which failures of the database are temporary, and writes the error texts for callers."""

import logging
import time
from collections.abc import Callable
from typing import Final

import asyncpg

from tellonce.server_text import ServerText, TextCode

MOST_NAMED: Final = 80
"""Maximum number of characters that an error text quotes from a name or an id in a call."""


class WithText(Exception):
    """An error whose text is meant for the caller, with the text's code and values."""

    def __init__(self, text: str, code: TextCode, /, **values: int | str) -> None:
        self.text = ServerText(text, code, **values)
        super().__init__(text)


class Refused(WithText):
    """The call cannot be executed. The text says what to change, and is not logged, because it may quote arguments."""

    may_quote = True


logger = logging.getLogger(__name__)

RETRY_SECONDS = 2
"""Seconds that a caller should wait before it retries."""


class StorageUnavailable(WithText):
    """The database could not be opened; the text says why and what to do."""


class StorageRefused(Exception):
    """The database is available but must not be used in its current state; the text says why and what to do."""


DATABASE_FAILURES = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    # asyncpg raises this if the connection breaks before a rollback.
    asyncpg.InternalClientError,
)
"""All failures of the database or of the connection to it. Background work tries again after such a failure."""

TEMPORARY_FAILURES: tuple[type[Exception], ...] = (
    StorageUnavailable,
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""Failures after which a later call may succeed. An interrupted call stores nothing, because a call is one
transaction."""


def error_text(failure: Exception) -> ServerText:
    """A sentence about the failure, for the caller. The caller may show the sentence to the person."""
    match failure:
        case StorageUnavailable():
            return failure.text
        case asyncpg.DiskFullError():
            text = "The disk of the memory's database is full; free some space there, then call again."
            return ServerText(text, "database_full")
        case asyncpg.TooManyConnectionsError():
            text = "The memory's database has no free connection now; call again in a few seconds."
            return ServerText(text, "database_busy")
        case _:
            text = "The memory's database does not answer now. It may be restarting; call again in a few seconds."
            return ServerText(text, "database_away")


class DatabaseErrorLog:
    """Logs one line when a database outage begins and one line when it ends, even if many calls fail."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sentence: str | None = None
        self._began = 0.0
        self._failures = 0

    def noted(self, failure: Exception) -> ServerText:
        """Log the start of an outage if this outage is not logged yet. Returns the sentence for the caller."""
        sentence = error_text(failure)
        self._failures += 1
        if sentence != self._sentence:
            if self._sentence is None:
                self._began, self._failures = self._clock(), 1
            self._sentence = sentence
            # The storage has logged why it could not be opened.
            level = logging.DEBUG if isinstance(failure, StorageUnavailable) else logging.WARNING
            logger.log(level, "%s (%s)", sentence, type(failure).__name__)
        return sentence

    def answered(self) -> None:
        """End an outage, because the database has answered."""
        if self._sentence is not None:
            seconds = self._clock() - self._began
            logger.warning("the database answers again, after %.0f s and %d failures", seconds, self._failures)
            self._sentence = None


DATABASE_ERRORS = DatabaseErrorLog()
"""The log of this process."""


def cause_in(error: BaseException) -> Exception | None:
    """The exception itself or the nearest of its causes that is a temporary failure; None if there is none."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, TEMPORARY_FAILURES):
            return found
        found = found.__cause__
    return None
