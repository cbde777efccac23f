"""The end of a process as it is told to: by SIGINT or SIGTERM."""

import asyncio
import signal


def told_to_end() -> asyncio.Event:
    """Set from the first such signal on. Within a running event loop."""
    told = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    return told
