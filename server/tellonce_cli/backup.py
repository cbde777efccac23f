"""`tellonce backup FILE`: the whole memory of all users as one file, taken while it is in use."""

import asyncio
from pathlib import Path

from tellonce.settings import ServerSettings, load
from tellonce_cli.archive import write
from tellonce_cli.failures import CommandFailed
from tellonce_cli.reach import current, database
from tellonce_cli.screen import console


def run(file: Path) -> int:
    asyncio.run(_backup(load(ServerSettings), file))
    return 0


async def _backup(settings: ServerSettings, file: Path) -> None:
    if file.exists():
        raise CommandFailed(f"{file} is there already; name another file, or remove it.")
    # Whoever can read the file reads the memory; and half a backup must not look like one.
    part = file.with_name(f"{file.name}.part")
    try:
        part.touch(mode=0o600)
        async with database(settings) as dsn, current(dsn) as connection:
            await write(connection, part)
        part.rename(file)
    except OSError as error:
        raise CommandFailed(f"{file} cannot be written: {error.strerror}; name a file you may write.") from error
    finally:
        part.unlink(missing_ok=True)
    console.print(
        f"the memory is in {file} ({file.stat().st_size / 1e6:.1f} MB). It holds everything you said: keep it safe."
    )
    console.print("What you forget later stays in it: make a new backup then, and remove this one.")
