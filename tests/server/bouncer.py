"""Runs a real PgBouncer in transaction mode in front of a test's database. PgBouncer runs under the same operating
system account as PostgreSQL."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import anyio

from tellonce_server.postgres.embedded_account import server_account
from tellonce_server.postgres.embedded_cluster import PORT, socket_dir
from tellonce_server.postgres.embedded_server import APP_ROLE, EmbeddedPostgres
from tests.patience import until

_INI = """
[databases]
* = host={host} port={port}
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
default_pool_size = 4
{more}
"""
NAMED = "max_prepared_statements = 200"


def installed() -> list[Path]:
    """The system's PgBouncer, and those that the variable PGBOUNCERS lists (paths separated by colons)."""
    system = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin")))
    named = [part for part in os.environ.get("PGBOUNCERS", "").split(":") if part]
    return [Path(part) for part in ([system] if system else []) + named]


def version(program: Path) -> tuple[int, ...]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return tuple(map(int, said.split(".")[:2]))


def keeps_statements(program: Path) -> bool:
    return version(program) >= (1, 21)


@asynccontextmanager
async def bouncer(
    program: Path, postgres: EmbeddedPostgres, *, mode: str = "transaction", more: str = ""
) -> AsyncGenerator[Path]:
    """Run PgBouncer. Yields the folder of the socket through which every database of `postgres` can be reached."""
    account = server_account(postgres.cluster)
    folder = Path(tempfile.mkdtemp(prefix="cm-pool-", dir="/tmp"))
    ini = _INI.format(host=socket_dir(postgres.cluster), port=PORT, folder=folder, mode=mode, more=more)
    (folder / "ini").write_text(ini)
    (folder / "users").write_text(f'"{APP_ROLE}" ""\n')
    if account is not None:
        os.chown(folder, account.uid, account.gid)
    process = await anyio.open_process(
        [str(program), str(folder / "ini")],
        stdout=None,
        stderr=subprocess.DEVNULL,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )
    try:
        await until(lambda: (folder / f".s.PGSQL.{PORT}").exists())
        yield folder
    finally:
        process.send_signal(signal.SIGINT)
        with anyio.move_on_after(5):
            await process.wait()
        if process.returncode is None:
            process.kill()
        await process.aclose()
        shutil.rmtree(folder, ignore_errors=True)


def address(folder: Path, dsn: str) -> str:
    """The address of a test's database through the PgBouncer in `folder`."""
    name = dsn.partition("?")[0].rpartition("/")[2]
    return f"postgresql://{APP_ROLE}@/{name}?host={quote(str(folder), safe='')}&port={PORT}"
