"""Updates a database's schema to this program's version, running each migration once.

A migration file runs in one transaction. A file for `create index concurrently` begins with the line
`-- no-transaction`. Such a file is split at the lines `-- statement`, and each statement runs on its own. The
statements must be repeatable, because after a crash all of them run again.
"""

import logging
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import asyncpg

import tellonce_sql
from tellonce_server.core.errors import StorageRefused
from tellonce_sql import Migration, query

# "chatmem" as a number: the advisory lock for changing a database's schema.
_LOCK = 0x63_68_61_74_6D_65_6D
_POLL = 0.1
_REPORT_SECONDS = 10.0

CREATE_LEDGER = """
create table if not exists schema_migration (
    version int primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    seconds real not null
)
"""
_APPLIED = "select version, sha256 from schema_migration"
_RECORD = "insert into schema_migration (version, name, sha256, seconds) values ($1, $2, $3, $4)"
# While a migration waits for a lock on a table, all other statements on the table wait, too. The migration therefore
# gives up after 5 s, and the user can start the program again.
_LOCK_TIMEOUT = "set local lock_timeout = '5s'"

_STATEMENT_LINE = re.compile(r"^-- statement[ \t]*$", re.MULTILINE)
_COMMENT_LINE = re.compile(r"^[ \t]*--.*$", re.MULTILINE)

logger = logging.getLogger(__name__)


class MigrationError(StorageRefused):
    """The schema cannot be updated to this program's version. The message says why and what to do."""


async def migrate(connection: asyncpg.Connection, migrations: Sequence[Migration] | None = None) -> list[str]:
    """Apply the missing migrations, by default this program's, and return their names. Waits while another process
    migrates. `connection` must be a session of its own, because the lock belongs to it. Raises MigrationError."""
    async with _alone(connection):
        await connection.execute(CREATE_LEDGER)
        applied = {row["version"]: row["sha256"] for row in await connection.fetch(_APPLIED)}
        todo = missing(tellonce_sql.migrations() if migrations is None else migrations, applied)
        for migration in todo:
            await _apply(connection, migration)
    return [migration.file_name for migration in todo]


async def check_schema(connection: asyncpg.Connection) -> None:
    """Raise MigrationError if this program cannot use the schema. A database without a schema is usable. This reads
    only."""
    if await connection.fetchval("select to_regclass('schema_migration')") is not None:
        missing(tellonce_sql.migrations(), {row["version"]: row["sha256"] for row in await connection.fetch(_APPLIED)})


def missing(migrations: Sequence[Migration], applied: Mapping[int, str]) -> list[Migration]:
    """The migrations that have not run. `applied` maps each version that has run to its sha256. Raises MigrationError
    if the numbers, the versions or the texts do not fit."""
    numbers = [m.version for m in migrations]
    if numbers != sorted(set(numbers)):
        raise MigrationError("the migrations' numbers do not rise, or two are the same: rename the files")
    newest, known = max(applied, default=0), max(numbers, default=0)
    if newest > known:
        raise MigrationError(
            f"the database is at version {newest}, but this program knows versions up to {known}: a newer tellonce has "
            "updated the database; update this one, or restore an older backup"
        )
    for migration in migrations:
        if applied.get(migration.version, migration.sha256) != migration.sha256:
            raise MigrationError(
                f"{migration.file_name} was changed after it was applied: restore it, and put the change in a new file"
            )
    return [m for m in migrations if m.version not in applied]


@asynccontextmanager
async def _alone(connection: asyncpg.Connection) -> AsyncGenerator[None]:
    # The lock is polled, because a session that waits in pg_advisory_lock() holds a snapshot. If the holder of the lock
    # runs `create index concurrently`, the holder waits for that snapshot. The two sessions would wait for each other
    # forever.
    reported_at = time.monotonic()
    while not await connection.fetchval(query("locks.take"), _LOCK):
        if time.monotonic() - reported_at > _REPORT_SECONDS:
            logger.info("waiting for another process that changes the schema")
            reported_at = time.monotonic()
        await anyio.sleep(_POLL)
    try:
        yield
    finally:
        if not connection.is_closed():
            with anyio.CancelScope(shield=True):
                await connection.execute(query("locks.release"), _LOCK)


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    started = time.monotonic()
    logger.info("applying %s", migration.file_name)
    if migration.sql.startswith("-- no-transaction"):
        for statement in statements(migration.sql):
            await connection.execute(statement)
        await _record(connection, migration, started)
        return
    try:
        async with connection.transaction():
            await connection.execute(_LOCK_TIMEOUT)
            await connection.execute(migration.sql)
            await _record(connection, migration, started)
    except asyncpg.LockNotAvailableError as error:
        raise MigrationError(
            f"{migration.file_name} waited 5 s for a table in use: stop the other tellonce processes and start again"
        ) from error


async def _record(connection: asyncpg.Connection, migration: Migration, started: float) -> None:
    seconds = time.monotonic() - started
    await connection.execute(_RECORD, migration.version, migration.name, migration.sha256, seconds)


def statements(sql: str) -> list[str]:
    """The statements between `-- statement` lines, without parts that contain only comments. asyncpg fails on those."""
    parts = (part.strip() for part in _STATEMENT_LINE.split(sql))
    return [part for part in parts if _COMMENT_LINE.sub("", part).strip()]
