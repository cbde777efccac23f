"""`tellonce restore FILE`: replaces the memory with a backup, in one transaction. Then the command repeats all erasures
that were made after the backup.

If the backup was made of this same memory, its access tokens are not restored. A revoked token thus stays revoked.
"""

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tellonce.plural import quantity
from tellonce.settings import ServerSettings
from tellonce_cli.database import current, database, hidden_owner, refuse_if_in_use
from tellonce_cli.memory import local_settings, storage
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_server.app.bootstrap import KEY_NAME
from tellonce_server.app.memory_location import described
from tellonce_server.backup.archive import Archive, BackupRefused, opened
from tellonce_server.backup.restore import all_texts, aside, newer_texts, replace, texts_held


async def run(file: Path, *, force: bool = False) -> None:
    settings = local_settings()
    if not file.is_file():
        raise CommandFailed(f"there is no file {file}; name one that `tellonce backup` wrote.")
    try:
        with opened(file) as archive:
            await _restore(settings, file, archive, force=force)
    except BackupRefused as refusal:
        raise CommandFailed(str(refusal)) from refusal


async def _restore(settings: ServerSettings, file: Path, archive: Archive | None, *, force: bool) -> None:
    async with database(settings) as dsn:
        async with current(dsn) as connection:
            await refuse_if_in_use(connection, "restore")
            before, newer = await all_texts(connection), await _newer(connection, archive, settings)
            if any(before) and not force:
                raise CommandFailed(
                    f"the memory in {described(settings)} holds {before}{newer}, which a restore would replace. "
                    "Back it up first, then restore with --force."
                )
            kept = await aside(connection, KEY_NAME)
        again = await replace(dsn, file, archive, kept, KEY_NAME)
        async with current(dsn) as connection:
            hidden, after = hidden_owner(await texts_held(connection), settings), await all_texts(connection)
            had_forgotten = bool((await aside(connection, KEY_NAME)).tombstones)
    gone = await _forget_again(settings, kept.owners if again else set())
    erased = ""
    if gone:
        which = "All of it was" if gone >= sum(after) else f"In {quantity(gone, 'text')} of these, something was"
        erased = f" {which} forgotten since the backup and is erased again, because a backup does not bring back what was forgotten."
    replaced = f" It replaced {before}{newer}." if any(before) else ""
    console.print(f"{file} is restored: {after}.{erased}{replaced}")
    if hidden:
        console.print(hidden, style="yellow")
    if had_forgotten:
        _warn_of_the_forgotten(recorded=bool(kept.owners))
    hint(
        "Next: connected assistants start the memory themselves (`tellonce connect` adds one). `tellonce up` starts it for "
        "the memory page and Telegram."
    )
    answer({"file": str(file), "hidden": hidden, "forgotten_again": gone})


async def _newer(connection: Any, archive: Archive | None, settings: ServerSettings) -> str:
    found = await newer_texts(connection, archive)
    if found is None:
        return ""
    made_at, texts = found
    return f" (newer than this backup of {made_at.astimezone(ZoneInfo(settings.timezone)):%Y-%m-%d %H:%M}: {texts})"


async def _forget_again(settings: ServerSettings, owners: set[int]) -> int:
    gone = 0
    if owners:
        async with storage(settings) as services:
            gone = sum([await services.forgetter.forget_again(owner) for owner in sorted(owners)])
    return gone


def _warn_of_the_forgotten(*, recorded: bool) -> None:
    console.print(
        "A backup may bring back what was forgotten after it was made"
        + (", if the backup words it differently" if recorded else "; this memory had no record of what was forgotten")
        + ". Look through `tellonce memories`, and forget again what should not be there."
    )
