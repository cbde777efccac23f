"""Finds where the memory of a data folder is stored, in the embedded PostgreSQL or in an external PostgreSQL, and opens
this database. This module does not import the services, so that the database can start while another thread imports
them.

The data folder contains a note if the database is external. With this note, a process without DATABASE_URL refuses to
start instead of opening an empty memory. DATABASE_URL is missing, for example, if the process was started outside the
folder of `.env`. Older releases were named chatmem. Their data folder is moved when a server starts.
"""

import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_data_path

from tellonce.file_lock import is_held
from tellonce.former_name import FORMER_NAME, NAME
from tellonce.settings import ServerSettings
from tellonce.side_tasks import SideTask
from tellonce_server.core.errors import StorageRefused
from tellonce_server.postgres.connection import connected
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_server.postgres.readiness import prepare
from tellonce_server.postgres.route import Route, find_route, unpooled

NOTE = "external-database"
"""Name of a file. The file contains the name of the external database, without user and password."""


def described(settings: ServerSettings) -> str:
    """Describe the database of the memory in words, without user and password."""
    if settings.login_url is None:
        return f"the embedded PostgreSQL in {settings.data_dir}"
    url = urlsplit(settings.login_url)
    return f"the database {url.path.strip('/') or 'of your login'} at {url.hostname or 'this machine'}"


def note_external(settings: ServerSettings) -> None:
    """Write a note into the data folder: the memory of this folder is in an external database."""
    if settings.login_url is not None:
        (settings.data_dir / NOTE).write_text(described(settings) + "\n", "utf-8")


def refuse_another_memory(settings: ServerSettings) -> None:
    """Raises StorageRefused if the memory of this folder is in an external database, but DATABASE_URL is not set."""
    note = settings.data_dir / NOTE
    if settings.login_url is None and _exists(note):
        raise StorageRefused(
            f"the memory of {settings.data_dir} is in {note.read_text('utf-8').strip()}, but DATABASE_URL is not set "
            "here. Start it in the folder with your .env, or set DATABASE_URL. To use the embedded PostgreSQL "
            f"again, remove {note}."
        )


def has_memory(settings: ServerSettings) -> bool:
    """Whether a memory exists. An external database is assumed to contain one."""
    if settings.login_url is not None or _exists(settings.data_dir / NOTE):
        return True
    return _exists(EmbeddedPostgres(settings.data_dir / "postgres").cluster)


def _exists(path: Path) -> bool:
    """False also without access to the path. PostgreSQL then reports the reason when it starts."""
    return os.access(path, os.F_OK)


def move_former_folder() -> str | None:
    """Move the data folder from its former path if no server uses it. Returns a sentence for the person, or None."""
    folder, former = user_data_path(NAME, appauthor=False), user_data_path(FORMER_NAME, appauthor=False)
    if folder.exists() or not former.is_dir():
        return None
    if any((former / lock).exists() and is_held(former / lock) for lock in (".use", ".watch")):
        return (
            f"The memory in {former} is in use by a server of the former name. Stop that server; the next start then "
            f"moves the memory to {folder}."
        )
    os.rename(former, folder)
    return f"The memory was moved from {former} to {folder}."


@dataclass(frozen=True)
class OpenDatabase:
    """The route to the database. For an embedded PostgreSQL, `superuser_dsn` is the superuser's URL, and `keepers` keep
    PostgreSQL running."""

    route: Route
    superuser_dsn: str | None = None
    keepers: tuple[SideTask, ...] = ()


async def open_database(settings: ServerSettings, stack: AsyncExitStack) -> OpenDatabase:
    """Open the configured database. An embedded PostgreSQL is released when `stack` is closed."""
    url, direct = settings.database_url, settings.database_direct_url
    if url is not None:
        route = await find_route(url.get_secret_value(), direct.get_secret_value() if direct is not None else None)
        await _migrate(route.direct)
        return OpenDatabase(route)
    refuse_another_memory(settings)
    embedded = EmbeddedPostgres(settings.data_dir / "postgres")
    stack.push_async_callback(embedded.release)
    dsn = await embedded.start()
    await _migrate(dsn)
    keeper = SideTask("keeping PostgreSQL up", embedded.keep_up, vital=True)
    return OpenDatabase(unpooled(dsn), embedded.dsn(SUPERUSER), (keeper,))


async def _migrate(dsn: str) -> None:
    async with connected(dsn) as connection:
        await prepare(connection)
        await migrate(connection)
