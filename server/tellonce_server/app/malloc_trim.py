"""Returns freed memory to the system."""

import asyncio
import ctypes
import sys
from collections.abc import Callable

TRIM_SECONDS = 30.0


async def trim() -> None:
    """Return freed memory to the system. glibc keeps freed memory below a block in use, and more of it after each large
    erasure."""
    release = malloc_trim()
    if release is not None:
        # It runs off the event loop, because it takes milliseconds, in which other threads wait only to allocate.
        await asyncio.to_thread(release, 0)


def malloc_trim() -> Callable[[int], object] | None:
    """glibc's function; None with another C library."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
