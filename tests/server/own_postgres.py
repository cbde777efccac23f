"""Runs an external PostgreSQL for tests. Its version is not the version of the embedded PostgreSQL, and it has ordinary
logins."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tellonce_server.postgres.embedded_account import Account, server_account
from tellonce_server.postgres.embedded_cluster import reachable
from tellonce_server.postgres.embedded_server import bindir
from tests.memory_fixtures import session

PORT = 5433
CREATED = (
    (
        "database",
        " with (force)",
        "select datname as name from pg_database where not datistemplate and datname <> 'postgres'",
    ),
    ("role", "", r"select rolname as name from pg_roles where rolname !~ '^(pg_|postgres$)'"),
)
"""The kinds of objects that tests create, the options to drop them, and the query for their names."""


def installations() -> list[Path]:
    """The `bin` folders of the available versions of PostgreSQL with pgvector: the older version in the embedded
    package, and Debian's versions."""
    package = bindir().parent.parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    vector = "/usr/share/postgresql/{}/extension/vector.control"
    return [package / "pginstall" / "bin", *(b for b in debian if Path(vector.format(b.parent.name)).exists())]


def name_of(programs: Path) -> str:
    """The name of an installation, such as "postgresql16"."""
    said = subprocess.run([programs / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return "postgresql" + said.split()[2].partition(".")[0]


@dataclass(frozen=True)
class OwnPostgres:
    folder: Path
    control: Callable[[str], None]
    """Starts or stops the server; the argument is `start` or `stop`."""

    def dsn(self, user: str, database: str) -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}&port={PORT}"

    async def admin(self, *commands: str, database: str = "postgres") -> None:
        """Run statements as the superuser."""
        async with session(self.dsn("postgres", database)) as connection:
            for command in commands:
                await connection.execute(command)

    async def clear(self) -> None:
        """Remove all databases and roles that were created."""
        async with session(self.dsn("postgres", "postgres")) as connection:
            for kind, options, found in CREATED:
                for row in await connection.fetch(found):
                    await connection.execute(f'drop {kind} "{row["name"]}"{options}')

    async def database(self, name: str) -> str:
        """Create a database. Returns the URL with which the superuser connects."""
        await self.admin(f"create database {name}")
        return self.dsn("postgres", name)

    async def plain(self, name: str) -> str:
        """Create a database that belongs to an ordinary login of the same name. Returns its URL."""
        await self.admin(f"create role {name} login", f"create database {name} owner {name}")
        return self.dsn(name, name)


@asynccontextmanager
async def own_postgres(programs: Path) -> AsyncGenerator[OwnPostgres]:
    folder = Path(tempfile.mkdtemp(prefix="cm-own-", dir="/tmp"))
    account = server_account(folder)
    programs = reachable(programs, account)
    if account is not None:
        os.chown(folder, account.uid, account.gid)
    data = folder / "data"
    _run(account, programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -p {PORT}"

    def control(order: str) -> None:
        how = ("-l", folder / "log", "-o", options) if order == "start" else ("-m", "immediate")
        _run(account, programs / "pg_ctl", "-D", data, "-w", *how, order)

    control("start")
    try:
        yield OwnPostgres(folder, control)
    finally:
        control("stop")
        shutil.rmtree(folder, ignore_errors=True)


def _run(account: Account | None, *command: str | Path) -> None:
    # The output is not a pipe. The server would inherit the pipe and keep it open, and reading from the pipe would
    # never end.
    subprocess.run(
        list(map(str, command)),
        check=True,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )
