"""The file format of a backup. A backup contains the list of the migrations that ran, and the rows of every table in
the format of COPY.

The file does not contain the schema. When a backup is restored, this program's migrations create the schema again. Any
supported version of PostgreSQL can therefore load the backup, without other tools. The file is a zip archive with
`manifest.json` and one `tables/<name>` for each table.
"""

import zipfile
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

import asyncpg
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from tellonce_server.postgres.migrations import CREATE_LEDGER, statements
from tellonce_sql import Migration, migrations, query

ResultT = TypeVar("ResultT")


class BackupRefused(Exception):
    """The backup or restore is refused, and nothing was changed. The error text gives the user the reason."""


FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
LEDGER: Final = "schema_migration"
"""The table of applied migrations. A backup does not contain this table; its manifest lists the migrations."""


class Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    columns: tuple[str, ...]


class Manifest(BaseModel):
    """The contents of a backup. `migrations` maps each version to its sha256. The order of `tables` satisfies the
    foreign keys. Backups of earlier versions have no `made_at`."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    format: int
    migrations: dict[int, str]
    tables: tuple[Table, ...]
    made_at: AwareDatetime | None = None


@dataclass(frozen=True)
class Archive:
    """An open backup file."""

    file: zipfile.ZipFile
    manifest: Manifest


async def write(connection: Any, file: Path) -> None:
    """Write a backup of the database as it is at one moment, while others read and write."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute(query("backup.formats"))
            manifest = await _manifest(connection)
            for table in manifest.tables:
                with archive.open(f"tables/{table.name}", "w", force_zip64=True) as rows:
                    await connection.copy_from_table(table.name, columns=table.columns, output=rows)
        archive.writestr(MANIFEST, manifest.model_dump_json())


async def _manifest(connection: Any) -> Manifest:
    columns = {row["name"]: tuple(row["columns"]) for row in await connection.fetch(query("backup.tables"))}
    references = await connection.fetch(query("backup.references"))
    order = in_order(columns, [(row["referrer"], row["referred"]) for row in references])
    applied = await connection.fetch(query("backup.applied"))
    return Manifest(
        format=FORMAT,
        migrations={row["version"]: row["sha256"] for row in applied},
        tables=tuple(Table(name=name, columns=columns[name]) for name in order if name != LEDGER),
        made_at=await connection.fetchval("select now()"),
    )


def in_order(tables: Iterable[str], references: Sequence[tuple[str, str]]) -> list[str]:
    """Sort the tables so that each table follows the tables that it references."""
    before: dict[str, set[str]] = {name: set() for name in sorted(tables)}
    for referrer, referred in references:
        before[referrer] |= {referred} - {referrer}
    return list(TopologicalSorter(before).static_order())


@contextmanager
def opened(file: Path) -> Generator[Archive | None]:
    """The archive, open during the block. None if the file is not an archive, but may be a dump of a former release.
    Raises BackupRefused if the manifest cannot be read."""
    if not zipfile.is_zipfile(file):
        yield None
        return
    with zipfile.ZipFile(file) as archive:
        try:
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
        except (KeyError, ValidationError, zipfile.BadZipFile) as error:
            raise BackupRefused(f"{file} is not a backup that this tellonce can read; nothing was changed.") from error
        yield Archive(archive, manifest)


def to_apply(manifest: Manifest, known: Sequence[Migration]) -> list[Migration]:
    """The migrations that create the backup's schema. Raises BackupRefused for a newer format, and for unknown or
    different migrations."""
    if manifest.format > FORMAT:
        raise BackupRefused(
            f"a newer tellonce made the backup (format {manifest.format}; this one knows formats up to {FORMAT}): "
            "update tellonce, then restore."
        )
    refuse_newer(manifest.migrations, known)
    chosen = [migration for migration in known if migration.version in manifest.migrations]
    if {migration.version: migration.sha256 for migration in chosen} != manifest.migrations:
        raise BackupRefused("the backup was made by a tellonce with different migrations.")
    return chosen


def refuse_newer(applied: Iterable[int], known: Sequence[Migration]) -> None:
    """Refuse a backup of a newer program, because this program could not open the restored memory."""
    newest, newest_known = max(applied, default=0), max((migration.version for migration in known), default=0)
    if newest > newest_known:
        raise BackupRefused(
            f"a newer tellonce made the backup (schema {newest}; this one knows schemas up to {newest_known}): "
            "update tellonce, then restore."
        )


async def fill(connection: Any, archive: Archive, complete: Callable[[], Awaitable[ResultT]]) -> ResultT:
    """In one transaction, replace the database's contents with the backup, update the schema, and return the result of
    `complete`."""
    chosen = to_apply(archive.manifest, migrations())
    later = [migration for migration in migrations() if migration not in chosen]
    try:
        async with connection.transaction():
            await connection.execute(query("backup.clear"))
            await connection.execute(CREATE_LEDGER)
            for migration in chosen:
                await _apply(connection, migration)
            await _copy_all(connection, archive)
            for migration in later:
                await _apply(connection, migration)
            return await complete()
    except (zipfile.BadZipFile, EOFError, asyncpg.DataError, asyncpg.IntegrityConstraintViolationError) as error:
        raise BackupRefused(f"the backup is damaged ({error}); nothing was changed.") from error


async def _apply(connection: Any, migration: Migration) -> None:
    # Indexes cannot be built concurrently inside a transaction. Only the restore uses the database, so building the
    # indexes in the ordinary way does not delay other processes.
    for statement in statements(migration.sql.replace(" concurrently ", " ")):
        await connection.execute(statement)
    await connection.execute(query("backup.note_applied"), migration.version, migration.name, migration.sha256)


async def _copy_all(connection: Any, archive: Archive) -> None:
    tables = archive.manifest.tables
    await connection.execute(query("backup.formats"))
    # Some migrations insert rows that the backup contains too.
    await connection.execute(query("backup.empty"))
    # Indexes without a constraint are dropped now and built after all rows are copied. For the full-text index this is
    # ten times as fast.
    indexes = await connection.fetch(query("backup.indexes"))
    for index in indexes:
        await connection.execute(index["clear"])
    for disable in await connection.fetch(query("backup.triggers"), "disable"):
        await connection.execute(disable[0])
    for table in tables:
        with archive.file.open(f"tables/{table.name}") as rows:
            source = cast(BinaryIO, rows)
            await connection.copy_to_table(table.name, columns=table.columns, source=source)
    for enable in await connection.fetch(query("backup.triggers"), "enable"):
        await connection.execute(enable[0])
    for index in indexes:
        await connection.execute(index["build"])
    await connection.execute(query("backup.numbers"))
