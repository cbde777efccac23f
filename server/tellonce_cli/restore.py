"""`tellonce restore FILE`: replaces the memory by a backup in one transaction and erases again what was forgotten
since.

Tokens are not restored into the memory that the backup came from, so a revoked token stays revoked.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import asyncpg

from tellonce.settings import ServerSettings, load
from tellonce_cli.archive import fill, is_archive, opened
from tellonce_cli.dump import replace_by_dump
from tellonce_cli.failures import CommandFailed
from tellonce_cli.memory import storage
from tellonce_cli.reach import current, database
from tellonce_cli.screen import console
from tellonce_server.app.bootstrap import KEY_NAME
from tellonce_server.store.database import unzip
from tellonce_sql import migrations, query

Rows = list[tuple[Any, ...]]


def run(file: Path, *, force: bool = False) -> int:
    asyncio.run(_restore(load(ServerSettings), file, force))
    return 0


async def _restore(settings: ServerSettings, file: Path, force: bool) -> None:
    if not file.is_file():
        raise CommandFailed(f"there is no file {file}; name one that `tellonce backup` wrote.")
    async with database(settings) as dsn:
        async with current(dsn) as connection:
            await _refuse_if_in_use(connection)
            await _refuse_if_full(connection, force)
            stones, tokens = await _stones(connection), await connection.fetch(query("backup.tokens"))
            key = await connection.fetchval(query("backup.key"), KEY_NAME)
        await _replace(dsn, file)
        async with current(dsn) as connection:
            ours = key is not None and key == await connection.fetchval(query("backup.key"), KEY_NAME)
            kept = await _keep(connection, stones) if ours else 0
            if ours:
                await _keep_tokens(connection, [tuple(row) for row in tokens])
    console.print(f"{file} is restored.")
    await _forget_again(settings, {stone[0] for stone in stones} if kept else set())


async def _refuse_if_in_use(connection: Any) -> None:
    if await connection.fetchval(query("backup.sessions")):
        raise CommandFailed("the memory is in use; stop `tellonce up` and every client first, then restore.")


async def _refuse_if_full(connection: Any, force: bool) -> None:
    texts = await connection.fetchval(query("backup.texts"))
    if texts and not force:
        raise CommandFailed(
            f"this memory holds {texts} messages and memories, which a restore would replace. "
            "Back it up first, then restore with --force."
        )


async def _replace(dsn: str, file: Path) -> None:
    """Replace the contents by the file's; if that fails, nothing changes."""
    if not is_archive(file):
        await replace_by_dump(dsn, file)
        return
    archive = opened(file)
    with archive.file:
        connection: Any = await asyncpg.connect(dsn)
        try:
            await fill(connection, archive, migrations())
        finally:
            await connection.close()


async def _stones(connection: Any) -> Rows:
    rows = await connection.fetch(query("backup.tombstones"))
    return [
        (r["owner_id"], r["chat_id"], r["claim"], json.dumps(list(r["words"])), r["created_at"], r["lifted_at"])
        for r in rows
    ]


async def _keep(connection: Any, stones: Rows) -> int:
    """Keep the current tombstones, and return how many of them the backup lacked."""
    done: str = await connection.execute(query("backup.keep_tombstones"), *unzip(stones, 6))
    return int(done.rpartition(" ")[2])


async def _keep_tokens(connection: Any, tokens: Rows) -> None:
    """Keep the current tokens: the backup would accept tokens that were revoked since and reject newer ones."""
    async with connection.transaction():
        await connection.execute(query("backup.clear_tokens"))
        await connection.executemany(query("backup.keep_token"), tokens)


async def _forget_again(settings: ServerSettings, owners: set[int]) -> None:
    gone = 0
    if owners:
        async with storage(settings) as services:
            gone = sum([await services.forgetter.forget_again(owner) for owner in sorted(owners)])
    if gone:
        console.print(f"{gone} memories and messages that were forgotten since the backup are forgotten again.")
    console.print(
        "A backup may bring back what was forgotten after it was made"
        + (", where it was worded otherwise then" if owners else "; this memory has no record of that")
        + ". Look through `/memory`, and forget again what should not be there."
    )
