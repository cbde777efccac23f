"""The child processes of `tellonce up`, and the path of the file that starts `up` as a service. The children are
restarted after a crash, and end when `up` ends, even if `up` is killed."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tellonce.shutdown import PARENT_PIPE

STOP_SECONDS = 15.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
STEADY_SECONDS = 30.0
"""If a child ran for more seconds than this, the pause before its restart is only `FIRST_PAUSE`."""


def python(module: str) -> list[str]:
    """The command that runs a module with this Python. `-P` excludes the current folder, whose modules could otherwise
    replace ours."""
    return [sys.executable, "-P", "-m", module]


@dataclass
class Child:
    """One supervised process. `tell` is called with each message for the user."""

    name: str
    module: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    tell: Callable[[str], None]
    longest_pause: float = LONGEST_PAUSE
    output: int | None = None
    """The file descriptor for the output of the child. None means that the child uses our standard output and error."""
    process: asyncio.subprocess.Process | None = None
    _stopping: bool = False

    async def supervise(self) -> None:
        """Start the process, and start it again whenever it ends, until `stop` is called."""
        pause = FIRST_PAUSE
        while not self._stopping:
            started = time.monotonic()
            await self._start()
            assert self.process is not None  # `_start` has just set the process
            code = await self.process.wait()
            if self._stopping:
                return
            pause = FIRST_PAUSE if time.monotonic() - started > STEADY_SECONDS else min(self.longest_pause, pause * 2)
            self.tell(f"{self.name} ended with code {code}; starting it again in {pause:g} s")
            await asyncio.sleep(pause)

    async def stop(self) -> None:
        """Send SIGTERM to the process, and kill it if it still runs after fifteen seconds."""
        self._stopping = True
        process = self.process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            self.tell(f"{self.name} does not end; killing it")
            process.kill()
            await process.wait()

    async def _start(self) -> None:
        # The child has its own session, so Ctrl-C in the terminal reaches only `up`. `up` then stops the children in
        # order. The child's standard input is a pipe from `up`. The pipe closes even if `up` is killed, and then the
        # child ends.
        self.process = await asyncio.create_subprocess_exec(
            *python(self.module),
            *self.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=self.output,
            stderr=self.output,
            env={**os.environ, **self.environment, PARENT_PIPE: "0"},
            start_new_session=True,
        )


SERVICE_NAME = "tellonce"


def service_file(platform: str = sys.platform) -> Path:
    """The path of the file that `tellonce service install` writes and `uninstall` removes."""
    if platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{SERVICE_NAME}.plist"
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(config) / "systemd" / "user" / f"{SERVICE_NAME}.service"
