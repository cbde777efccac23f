"""Stops an embedded PostgreSQL that no process uses any more, because its last user may have been killed without
stopping it.

It is a separate process, run by path, and imports only the standard library, so that waiting costs a few megabytes. A
killed user may be restarted at once, so one check is not enough.
"""

import fcntl
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

SECONDS: Final = 1.0
"""Seconds between checks."""
LOOKS: Final = 3
"""Consecutive checks that must find no user."""
AFTER_FAILURE: Final = 60.0
"""Seconds to wait after the server could not be stopped."""


def lock(path: Path) -> int | None:
    """The exclusive lock on the file as a descriptor; None while another process holds it. It creates no file."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def unused(home: Path, cluster: Path) -> bool:
    """Whether no process uses the server. Ends this process if the server has ended too.

    A process that starts or leaves holds the `.start` lock and counts as a user.
    """
    starting = lock(home / ".start")
    if starting is None:
        return False
    using = lock(home / ".use")
    if using is not None and not (cluster / "postmaster.pid").exists():
        # The lock is released with it: the next process that starts the server sees no watcher and starts another.
        os._exit(0)
    os.close(starting)
    if using is not None:
        os.close(using)
    return using is not None


def watch(home: Path, cluster: Path) -> None:
    """Watch until the server is unused and has ended."""
    looks = 0
    while True:
        time.sleep(SECONDS)
        looks = looks + 1 if unused(home, cluster) else 0
        if looks >= LOOKS:
            stop = [sys.executable, "-m", "tellonce_server.store.postgres.unused", str(home)]
            if subprocess.run(stop, check=False).returncode != 0:
                time.sleep(AFTER_FAILURE)
            looks = 0


def main() -> None:
    home, cluster = Path(sys.argv[1]), Path(sys.argv[2])
    held = lock(home / ".watch")
    # The child process keeps the lock, and the process that started us has no child to wait for.
    if held is None or os.fork():
        os._exit(0)
    os.setsid()
    # The folder may be removed together with the server.
    with suppress(FileNotFoundError):
        watch(home, cluster)


if __name__ == "__main__":
    main()
