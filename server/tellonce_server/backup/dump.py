"""Restores backups in the former format, which `pg_dump` wrote. Only PostgreSQL's own tools can read this format."""

import asyncio
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from tellonce_server.backup.archive import BackupRefused, refuse_newer
from tellonce_server.postgres.connection import connected
from tellonce_server.postgres.embedded_server import EmbeddedPostgresError, bindir
from tellonce_sql import migrations, query

DUMP = "pg_dump"
MISSING = (
    "{tool} was not found. Install the PostgreSQL client tools of your server's version or newer "
    "(Debian: `apt install postgresql-client`), or use `tellonce export`."
)


@dataclass(frozen=True)
class Target:
    """A database, and the folder of the PostgreSQL client tools that match its version."""

    dsn: str
    tools: Path

    async def run(self, tool: str, *arguments: str, output: Path | None = None) -> None:
        """Run a program with its output in the file `output`. Raises BackupRefused."""
        address, password = without_password(self.dsn)
        await run(self.program(tool), *arguments, f"--dbname={address}", password=password, output=output)

    def program(self, tool: str) -> str:
        return str(self.tools / tool)


async def replace_by_dump(dsn: str, file: Path) -> None:
    """Replace the database's contents with the contents of the file, in one transaction."""
    target = Target(dsn, await tool_folder(dsn))
    with tempfile.TemporaryDirectory(prefix="tellonce-restore-") as folder:
        contents, chosen, clear, script = (
            Path(folder) / name for name in ("list", "chosen", "clear.sql", "script.sql")
        )
        restore = target.program("pg_restore")
        try:
            await run(restore, "--list", str(file), output=contents)
        except BackupRefused as error:
            raise BackupRefused(f"{file} is not a complete backup; nothing was changed ({error}).") from error
        # The pgvector extension is left out, because it belongs to the administrator and already exists.
        chosen.write_text("\n".join(line for line in contents.read_text().splitlines() if " EXTENSION " not in line))
        await run(restore, "--no-owner", f"--use-list={chosen}", f"--file={script}", str(file))
        refuse_newer(_applied(script), migrations())
        clear.write_text(f"set local client_min_messages = warning;\n{query('backup.clear')};\n")
        together = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
        await target.run("psql", *together, f"--file={clear}", f"--file={script}")


def _applied(script: Path) -> list[int]:
    found: list[int] = []
    within = False
    with script.open(errors="replace") as lines:
        for line in lines:
            if within and line.startswith("\\."):
                break
            if within:
                found.append(int(line.split("\t", 1)[0]))
            within = within or line.startswith("COPY public.schema_migration ")
    return found


async def tool_folder(dsn: str) -> Path:
    """The first folder with tools that are at least as new as the server, or the first of all folders. Old tools report
    the problem themselves."""
    folders = _folders()
    server = await _server_version(dsn)
    for folder in folders:
        if await _tool_version(folder) >= server:
            return folder
    return folders[0]


def _folders() -> list[Path]:
    on_path = shutil.which(DUMP)
    folders = [Path(on_path).parent] if on_path is not None else []
    try:
        return [*folders, bindir()]
    except EmbeddedPostgresError as error:
        if not folders:
            raise BackupRefused(MISSING.format(tool=DUMP)) from error
        return folders


async def _server_version(dsn: str) -> int:
    try:
        async with connected(dsn) as connection:
            return int(connection.get_server_version().major)
    except (OSError, asyncpg.PostgresError, ValueError, TimeoutError) as error:
        raise BackupRefused(f"PostgreSQL does not answer ({error}). Run `tellonce doctor` for the fix.") from error


async def _tool_version(folder: Path) -> int:
    process = await asyncio.create_subprocess_exec(folder / DUMP, "--version", stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    found = re.search(rb"\d+", output)
    return int(found[0]) if found is not None else 0


async def run(tool: str, *arguments: str, password: str | None = None, output: Path | None = None) -> None:
    """Run a program with its output in the file `output`. Raises BackupRefused."""
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
        raise BackupRefused(f"{Path(tool).name} failed: {reason[-1500:]}{hint}")


def without_password(dsn: str) -> tuple[str, str | None]:
    """Separate the password from the URL, because other users of this machine may see a program's arguments."""
    parts = urlsplit(dsn)
    if parts.password is None:
        return dsn, None
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username or ''}@{place}")), unquote(parts.password)
