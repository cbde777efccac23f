"""`tellonce backup`: writes the memory of all users to one file, once or repeatedly. The server can run meanwhile."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.filesize import decimal

from tellonce.journal import utc_now
from tellonce.settings import ServerSettings
from tellonce.shutdown import pause_or_stop, shutdown_requested
from tellonce_cli.backup_age import note_backup
from tellonce_cli.database import current, database
from tellonce_cli.memory import local_settings, require_memory
from tellonce_cli.screen import CommandFailed, answer, console, hint, notes
from tellonce_server.app.memory_location import described
from tellonce_server.backup.archive import write
from tellonce_server.backup.restore import all_texts

NAME = "tellonce-%Y%m%dT%H%M%SZ.zip"
"""The file name of a backup in a folder; it contains the time of the backup in UTC."""


async def run(place: Path, every: float | None = None, keep: int = 7) -> None:
    """Back up once to the file `place`, or every `every` hours to the folder `place`."""
    settings = local_settings()
    if every is None:
        await _backup(settings, place)
    else:
        await repeat(settings, place, timedelta(hours=every), keep)


async def repeat(
    settings: ServerSettings,
    folder: Path,
    every: timedelta,
    keep: int,
    now: Callable[[], datetime] = utc_now,
    stop: asyncio.Event | None = None,
) -> None:
    """Back up until `stop` is set. A failure is reported, and the next backup is made when it is due."""
    stop = stop or shutdown_requested()
    folder.mkdir(parents=True, exist_ok=True)
    due = max((taken(file) + every for file in _files(folder)), default=now())
    _tell_next(due, now())
    while await pause_or_stop(stop, (due - now()).total_seconds()):
        try:
            await _backup(settings, folder / now().astimezone(UTC).strftime(NAME))
            for file in _files(folder)[:-keep]:
                file.unlink()
        except CommandFailed as failure:
            notes.print(str(failure), style="red")
        due = now() + every
        _tell_next(due, now())


def _tell_next(due: datetime, now: datetime) -> None:
    if due > now:
        console.print(f"The next backup follows on {due.astimezone():%Y-%m-%d at %H:%M}. Ctrl-C ends this.")


def taken(file: Path) -> datetime:
    """Return the time at which a backup was made, according to the name of its file."""
    return datetime.strptime(file.name, NAME).replace(tzinfo=UTC)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("tellonce-????????T??????Z.zip"))


async def _backup(settings: ServerSettings, file: Path) -> None:
    if file.exists():
        raise CommandFailed(f"{file} already exists; choose another file, or remove this one.")
    require_memory(settings)
    # Only the owner may read the file, because it contains the memory. Until the backup is finished, the file has
    # another name. Otherwise, it would look like a finished backup.
    part = file.with_name(f"{file.name}.part")
    try:
        part.touch(mode=0o600)
        async with database(settings) as dsn, current(dsn) as connection:
            texts = await all_texts(connection)
            await write(connection, part)
        part.rename(file)
    except OSError as error:
        raise CommandFailed(f"{file} cannot be written: {error.strerror}; choose a file that you may write.") from error
    finally:
        with suppress(OSError):
            part.unlink()
    note_backup(settings)
    console.print(
        f"The memory in {described(settings)} is in {file}: {texts}, "
        f"{decimal(file.stat().st_size)}. It holds everything you said: keep it safe.",
    )
    hint("What you forget later stays in this file: after you forget something, make a new backup and remove this one.")
    answer({"file": str(file), **texts._asdict(), "bytes": file.stat().st_size})
