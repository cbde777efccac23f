"""Restores a backup and keeps the current tombstones and access tokens, which a restore must not undo."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tellonce import plural
from tellonce_server.backup.archive import Archive, fill
from tellonce_server.backup.dump import replace_by_dump
from tellonce_server.postgres.connection import connected
from tellonce_server.postgres.migrations import migrate
from tellonce_sql import query

Rows = list[tuple[Any, ...]]


class Aside(NamedTuple):
    """The data that a restore must not replace: tombstones, tokens, and the secret key of this database."""

    tombstones: Rows
    tokens: str
    key: bytes | None

    @property
    def owners(self) -> set[int]:
        return {row[0] for row in self.tombstones}


async def in_use(connection: Any) -> bool:
    return bool(await connection.fetchval(query("backup.sessions")))


class Texts(NamedTuple):
    """The number of texts of one owner, or of all owners together."""

    messages: int
    memories: int

    def __str__(self) -> str:
        return f"{plural.messages(self.messages)} and {plural.memories(self.memories)}"


async def texts_held(connection: Any) -> dict[int, Texts]:
    rows = await connection.fetch(query("backup.texts"))
    return {owner: Texts(messages, memories) for owner, messages, memories in rows}


async def all_texts(connection: Any) -> Texts:
    held = (await texts_held(connection)).values()
    return Texts(sum(texts.messages for texts in held), sum(texts.memories for texts in held))


async def newer_texts(connection: Any, archive: Archive | None) -> tuple[datetime, Texts] | None:
    """The time of a backup, and the number of later texts, which a restore would lose. None if the backup has no time."""
    made_at = archive and archive.manifest.made_at
    return (made_at, Texts(*await connection.fetchrow(query("backup.newer"), made_at))) if made_at else None


async def aside(connection: Any, key_name: str) -> Aside:
    tombstones = [
        (*place, claim, json.dumps(words), created_at, lifted_at)
        for *place, claim, words, created_at, lifted_at in await connection.fetch(query("backup.tombstones"))
    ]
    tokens = await connection.fetchval(query("backup.tokens"))
    return Aside(tombstones, tokens, await connection.fetchval(query("backup.key"), key_name))


async def replace(dsn: str, file: Path, archive: Archive | None, kept: Aside, key_name: str) -> int:
    """In one transaction, replace the database's contents with the backup, then add the kept tombstones and tokens.
    Without an archive, the file is a dump of `pg_dump`, which has a transaction of its own. Returns how many tombstones
    the backup lacked. Raises BackupRefused."""
    async with connected(dsn) as connection:
        if archive is None:
            await replace_by_dump(dsn, file)
            await migrate(connection)
            return await _put_back(connection, kept, key_name)
        return await fill(connection, archive, lambda: _put_back(connection, kept, key_name))


async def _put_back(connection: Any, kept: Aside, key_name: str) -> int:
    """Returns how many tombstones the backup lacked. Puts nothing back if the backup is from another database. Tokens
    may have been revoked or added since the backup."""
    if kept.key is None or kept.key != await connection.fetchval(query("backup.key"), key_name):
        return 0
    async with connection.transaction():
        await connection.execute(query("backup.clear_tokens"))
        await connection.execute(query("backup.keep_tokens"), kept.tokens)
    columns = [list(column) for column in zip(*kept.tombstones, strict=True)]
    if not columns:
        return 0
    done: str = await connection.execute(query("backup.keep_tombstones"), *columns)
    return int(done.rpartition(" ")[2])
