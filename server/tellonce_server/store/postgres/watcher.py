"""Watches whether anybody still uses an embedded PostgreSQL, whose last user may have been killed; has it stopped then.

A process of its own, run by path: it imports the standard library alone, so that waiting costs a few megabytes. A
user who was killed may be started again at once, so one look is not enough.
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
"""Between looks."""
LOOKS: Final = 3
"""How often in a row nobody must be there."""
AFTER_FAILURE: Final = 60.0
"""Seconds to wait when the server could not be stopped."""


def lock(path: Path) -> int | None:
    """The exclusive lock on the file, as a descriptor; None while another process holds it. Makes no file."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def unused(home: Path, cluster: Path) -> bool:
    """Whether no process uses the server. Ends this process if the server has ended as well.

    Whoever starts or leaves holds the `.start` lock and counts as a user.
    """
    starting = lock(home / ".start")
    if starting is None:
        return False
    using = lock(home / ".use")
    if using is not None and not (cluster / "postmaster.pid").exists():
        # With the lock: whoever starts the server next sees no watcher any more, and starts another.
        os._exit(0)
    os.close(starting)
    if using is not None:
        os.close(using)
    return using is not None


def watch(home: Path, cluster: Path) -> None:
    """Until nobody uses the server and it has ended."""
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
    # The child keeps the lock; whoever started us has no child to wait for.
    if held is None or os.fork():
        os._exit(0)
    os.setsid()
    # The folder may be removed, and the server with it.
    with suppress(FileNotFoundError):
        watch(home, cluster)


if __name__ == "__main__":
    main()
