"""Runs what the page asks of the operator's machine as a process of its own: it may take minutes, and hold gigabytes."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from tellonce_server.core.errors import Refused

WORK, CLIENTS = "tellonce_cli.page_work", "tellonce_cli.page_clients"
"""By name, not by import: the command is built on the server, not the server on the command."""

LINE_BYTES = 4 * 1024 * 1024
"""A line may hold another program's whole configuration."""


class CommandRefused(Refused):
    """The command failed; the text is its own sentence."""


@asynccontextmanager
async def running(module: str, task: str, *arguments: str) -> AsyncGenerator[Process]:
    """The process; it is ended with the request that started it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", module, task, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        limit=LINE_BYTES,
        env=dict(os.environ),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def told(module: str, task: str, *arguments: str) -> AsyncGenerator[dict[str, Any]]:
    """The lines of a task, as it tells them. Raises CommandRefused."""
    async with running(module, task, *arguments) as process:
        assert process.stdout is not None  # opened as pipes above
        assert process.stderr is not None
        complaint = asyncio.create_task(process.stderr.read())
        async for line in process.stdout:
            yield json.loads(line)
        said = (await complaint).decode(errors="replace").strip()
        if await process.wait():
            raise CommandRefused(said.splitlines()[-1] if said else f"{task} failed.")


async def last(module: str, task: str, *arguments: str) -> dict[str, Any]:
    """The last line of a task. Raises CommandRefused."""
    found: dict[str, Any] = {}
    async for entry in told(module, task, *arguments):
        found = entry
    return found
