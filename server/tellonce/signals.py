"""Handles SIGINT and SIGTERM."""

import asyncio
import signal


def told_to_end() -> asyncio.Event:
    """An event that the first such signal sets. Call it within a running event loop."""
    told = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    return told
