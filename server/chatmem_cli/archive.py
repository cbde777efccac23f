"""PostgreSQL's own tools for backups, and the database they work on; what a backup means is not known here."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from chatmem.settings import ServerSettings
from chatmem_cli.failures import CommandFailed
from chatmem_server.postgres.embedded import EmbeddedPostgres, EmbeddedPostgresError, bindir

MISSING = (
    "{tool} is not here. Install the PostgreSQL client tools of your server's version or newer "
    "(Debian: `apt install postgresql-client`), or use `chatmem export`."
)


@dataclass(frozen=True)
class Target:
    """A database, and where the tools that fit it are; None: on the PATH, else the embedded server's."""

    dsn: str
    tools: Path | None

    async def run(self, tool: str, *arguments: str, output: Path | None = None) -> None:
        """Run a tool on this database. Raises CommandFailed with what it said."""
        address, password = without_password(self.dsn)
        await run(self._program(tool), *arguments, f"--dbname={address}", password=password, output=output)

    def _program(self, tool: str) -> str:
        return str(self.tools / tool) if self.tools is not None else program(tool)


@asynccontextmanager
async def database(settings: ServerSettings) -> AsyncGenerator[Target]:
    """The memory's database, started if it is the embedded one and nobody runs it."""
    if settings.database_url is not None:
        yield Target(settings.database_url.get_secret_value(), None)
        return
    embedded = EmbeddedPostgres(settings.data_dir / "postgres")
    try:
        yield Target(await embedded.start(), bindir())
    except EmbeddedPostgresError as error:
        raise CommandFailed(f"{error} Run `chatmem doctor` for the fix.") from error
    finally:
        await embedded.release()


def program(tool: str) -> str:
    """A tool of the PATH, which fits the person's own server; else the embedded server's."""
    found = shutil.which(tool)
    if found is not None:
        return found
    try:
        return str(bindir() / tool)
    except EmbeddedPostgresError as error:
        raise CommandFailed(MISSING.format(tool=tool)) from error


async def run(tool: str, *arguments: str, password: str | None = None, output: Path | None = None) -> None:
    """Run a program; its output goes to a file. Raises CommandFailed with what it said."""
    environment = {**os.environ, **({"PGPASSWORD": password} if password else {})}
    with (output or Path(os.devnull)).open("wb") as stream:
        process = await asyncio.create_subprocess_exec(
            tool,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stream,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
        )
        _, said = await process.communicate()
    if process.returncode != 0:
        reason = said.decode(errors="replace").strip()
        hint = f" {MISSING.format(tool=Path(tool).name)}" if "server version mismatch" in reason else ""
        raise CommandFailed(f"{Path(tool).name} failed: {reason[-1500:]}{hint}")


def without_password(dsn: str) -> tuple[str, str | None]:
    """The address to show to other users of this machine, and the password to hide from them."""
    parts = urlsplit(dsn)
    if parts.password is None:
        return dsn, None
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username or ''}@{place}")), unquote(parts.password)
