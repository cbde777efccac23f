"""Stops an embedded PostgreSQL if the last process that used it was killed. The watcher checks several times before it
stops the server, because such a process may restart.

The watcher is a separate process. It is run by file path and uses only the standard library, so that it takes only a
few megabytes.
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
"""If this number of consecutive checks find the server unused, the server is stopped."""
AFTER_FAILURE: Final = 60.0
"""Seconds to wait after a failed attempt to stop the server."""


def lock(path: Path) -> int | None:
    """Lock the existing file exclusively. Returns its descriptor, or None while another process holds a lock."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def unused(home: Path, cluster: Path) -> bool:
    """Whether no process uses the server. A process that is about to start or stop using the server counts as a user.
    If the server does not run either, this function ends the watcher."""
    starting = lock(home / ".start")
    if starting is None:
        return False
    using = lock(home / ".use")
    if using is not None and not (cluster / "postmaster.pid").exists():
        # The end of this process releases all its locks. The next process that starts the server finds no watcher and
        # starts one.
        os._exit(0)
    os.close(starting)
    if using is not None:
        os.close(using)
    return using is not None


def stop_command(home: Path) -> list[str]:
    """The command that stops the server if it is still unused. It succeeds even if the server is in use again."""
    return [sys.executable, "-P", "-m", "tellonce_server.postgres.embedded_server", str(home)]


def watch(home: Path, cluster: Path) -> None:
    """Watch until the server is unused and has ended."""
    looks = 0
    while True:
        time.sleep(SECONDS)
        looks = looks + 1 if unused(home, cluster) else 0
        if looks >= LOOKS:
            if subprocess.run(stop_command(home), check=False).returncode != 0:
                time.sleep(AFTER_FAILURE)
            looks = 0


def main() -> None:
    home, cluster = Path(sys.argv[1]), Path(sys.argv[2])
    held = lock(home / ".watch")
    # The parent ends at once, so the process that started the watcher need not wait. The child keeps the `.watch` lock.
    if held is None or os.fork():
        os._exit(0)
    os.setsid()
    # The folder may be removed together with the server.
    with suppress(FileNotFoundError):
        watch(home, cluster)


if __name__ == "__main__":
    main()
