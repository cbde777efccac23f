"""Puts the tests' databases on a disk in memory if the machine has one, copies new clusters, and makes small disks that
a test can fill.

In memory, creating a cluster takes 1 s, copying it takes 0.1 s, deleting it takes 0.1 s, and copying a database takes 15
to 50 ms. On a busy disk, these steps take up to ten times as long, because each step writes or deletes hundreds of
files.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import pytest

from tellonce_server.postgres import embedded_cluster
from tellonce_server.postgres.embedded_server import EmbeddedPostgres

DISK = Path("/dev/shm")
ROOM = 4 << 30
"""Free bytes that the disk must have. A run with three processes uses up to 2 GB."""
VARIABLE = "TELLONCE_TEST_CLUSTERS"
_NAME = "tellonce-tests-{}-"


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A new folder that other accounts can enter. At the end it is deleted."""
    in_memory = os.access(DISK, os.W_OK) and shutil.disk_usage(DISK).free > ROOM
    if in_memory:
        _delete_those_of_ended_processes()
    prefix = _NAME.format(os.getpid())
    with tempfile.TemporaryDirectory(
        prefix=prefix, dir=DISK if in_memory else None, ignore_cleanup_errors=True
    ) as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _delete_those_of_ended_processes() -> None:
    for folder in DISK.glob(_NAME.format("*")):
        found = re.match(_NAME.format(r"(\d+)"), folder.name)
        if found is not None and not _runs(int(found[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(pid: int) -> bool:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, 0)
        return True
    return False


def put_clusters_of_root_in(folder: Path) -> None:
    """If root runs the tests, new clusters are created in this folder. This applies to this process and to the programs
    that are forked for it. PostgreSQL refuses to run as root, and its own account cannot enter root's folders."""
    os.environ[VARIABLE] = str(folder)
    follow_the_tests()


def follow_the_tests() -> None:
    """Let this process create its clusters in the tests' folder, if the environment names this folder. All clusters
    after the first are copies of the first cluster."""
    if VARIABLE in os.environ:
        folder = Path(os.environ[VARIABLE])
        embedded_cluster._SYSTEM_DIR = folder
        _copy_clusters(folder.with_name("first-cluster"))


def _copy_clusters(first: Path) -> None:
    """Keep a copy of the first new cluster in the folder `first`, and copy all later clusters from it. A process that
    finds the remains of an interrupted initdb runs initdb."""
    initdb = EmbeddedPostgres._initdb

    async def made(server: EmbeddedPostgres, cluster: Path) -> None:
        if first.exists() and not cluster.with_name(f"{cluster.name}.new").exists():
            await _copy(first, cluster)
            return
        await initdb(server, cluster)
        if not first.exists():
            await _copy(cluster, first)

    EmbeddedPostgres._initdb = made  # type: ignore[assignment, method-assign]  # forked programs inherit it


async def _copy(cluster: Path, to: Path) -> None:
    """Copy the cluster. Another process never sees an incomplete copy."""
    staging = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent))
    await anyio.run_process(["cp", "-a", str(cluster), str(staging / "copy")])
    with suppress(OSError):  # another process was first, and the copy of that process is equally good
        (staging / "copy").rename(to)
    shutil.rmtree(staging)


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A new file system that PostgreSQL's account can enter. An example of its size is `160m`. Without the right to
    mount it, the test is skipped."""
    place = Path(tempfile.mkdtemp(prefix="tellonce-disk-"))
    place.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0755", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        place.rmdir()
        pytest.skip("mounting a small disk needs root, and a container that may")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()


def fill(ballast: Path) -> None:
    """Write the file until its disk is full to the last byte."""
    with ballast.open("wb", buffering=0) as file:
        for piece in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while file.write(bytes(piece)) == piece:
                    pass
