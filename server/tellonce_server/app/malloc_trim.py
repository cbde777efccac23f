"""Gives memory the process has freed back to the system; knows nothing of what was kept in it."""

import asyncio
import ctypes
import sys
from collections.abc import Callable

TRIM_SECONDS = 30.0


async def trim() -> None:
    """glibc keeps what is freed below something still in use: after each forgetting of many texts a little more."""
    release = malloc_trim()
    if release is not None:
        # Beside the event loop: it takes milliseconds, in which other threads wait only where they allocate.
        await asyncio.to_thread(release, 0)


def malloc_trim() -> Callable[[int], object] | None:
    """None where the C library has none: it is glibc's own."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
