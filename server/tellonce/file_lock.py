"""Advisory locks on files. The kernel releases a lock when its process ends, even if the process is killed."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Seconds between attempts to lock a file. The code tries repeatedly, because a thread that waits in flock() cannot be
# cancelled.
_POLL = 0.02

Mode = Literal["shared", "exclusive"]


class HeldLock:
    """A lock on an open file, until `release` or the end of the process. Child processes do not inherit it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def is_last(self) -> bool:
        """Whether no other process has a lock. Only `release` may follow, because the check can lose our own lock."""
        return _try_lock(self._descriptor, "exclusive")

    def release(self) -> None:
        os.close(self._descriptor)


def is_held(path: Path) -> bool:
    """Whether any process has a lock on the file `path` now."""
    lock = try_hold(path)
    if lock is not None:
        lock.release()
    return lock is None


@asynccontextmanager
async def exclusive(path: Path) -> AsyncGenerator[None]:
    """Hold an exclusive lock on the file during the block. Wait for it without a limit. Raises OSError."""
    lock = await hold(path, "exclusive")
    try:
        yield
    finally:
        lock.release()


async def hold(path: Path, mode: Mode) -> HeldLock:
    """Lock the file. It is never deleted, because a lock on a deleted file would not exclude other processes."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with ExitStack() as unless_locked:
        unless_locked.callback(os.close, descriptor)
        while not _try_lock(descriptor, mode):  # noqa: ASYNC110 (the holder is another process, which cannot wake us)
            await anyio.sleep(_POLL)
        unless_locked.pop_all()
    return HeldLock(descriptor)


def try_hold(path: Path) -> HeldLock | None:
    """Return an exclusive lock on `path`. None if another process has this lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _try_lock(descriptor, "exclusive"):
        return HeldLock(descriptor)
    os.close(descriptor)
    return None


def _try_lock(descriptor: int, mode: Mode) -> bool:
    try:
        if sys.platform == "win32":
            # Python has no shared lock on Windows. Our code that runs on Windows does not need a shared lock.
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if mode == "shared" else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
