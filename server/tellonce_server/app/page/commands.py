"""Runs the operator's page commands in separate processes, because these commands may take minutes and handle
gigabytes."""

import asyncio
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from tellonce.children import python
from tellonce.server_text import TextCode
from tellonce_server.core.errors import Refused

_TASKS: dict[str, tuple[str, TextCode]] = {
    "backup": ("page_work", "backup_failed"),
    "clients": ("page_clients", "connect_failed"),
    "connect": ("page_clients", "connect_failed"),
    "export": ("page_work", "crash"),
    "import": ("page_work", "import_failed"),
    "plan": ("page_work", "import_failed"),
}
"""The module of `tellonce_cli` that runs each task, and the error code of a failure."""

LINE_BYTES = 4 * 1024 * 1024
"""Maximum number of bytes in one line of output. A line may contain the whole configuration of another program."""


class CommandRefused(Refused):
    """The command failed; the exception text is the sentence that the command printed."""


@asynccontextmanager
async def running(task: str, *arguments: str) -> AsyncGenerator[Process]:
    """Run a command in a separate process. If the process still runs at the end of the block, it is terminated."""
    process = await asyncio.create_subprocess_exec(
        *(*python(f"tellonce_cli.{_TASKS[task][0]}"), task, *arguments),
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


async def entries(task: str, *arguments: str) -> AsyncGenerator[dict[str, Any]]:
    """Yield each object that a command prints as a line of JSON. Raises CommandRefused."""
    async with running(task, *arguments) as process:
        assert process.stdout is not None  # both outputs were opened as pipes above
        assert process.stderr is not None
        complaint = asyncio.create_task(process.stderr.read())
        async for line in process.stdout:
            yield json.loads(line)
        said = (await complaint).decode(errors="replace").strip()
        if await process.wait():
            reason = said.splitlines()[-1] if said else f"{task} failed."
            raise failed(task, reason)


def failed(task: str, reason: str) -> CommandRefused:
    """The error for a task that failed for this reason."""
    return CommandRefused(reason, _TASKS[task][1], reason=reason)


async def last(task: str, *arguments: str) -> dict[str, Any]:
    """The last line that a command prints. Raises CommandRefused."""
    found: dict[str, Any] = {}
    async for entry in entries(task, *arguments):
        found = entry
    return found
