"""Child processes of `up`: started, supervised, restarted after a crash, and ended together with `up`, even if `up` is
killed."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tellonce.shutdown import PARENT_PIPE

STOP_SECONDS = 15.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
STEADY_SECONDS = 30.0
"""A child that ran this many seconds restarts without a longer pause."""


@dataclass
class Child:
    """One supervised process. `tell` receives messages for the person."""

    name: str
    module: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    tell: Callable[[str], None]
    longest_pause: float = LONGEST_PAUSE
    output: int | None = None
    """The descriptor for its log; None means ours."""
    process: asyncio.subprocess.Process | None = None
    _stopping: bool = field(default=False)

    async def supervise(self) -> None:
        """Keep it running until `stop`."""
        pause = FIRST_PAUSE
        while not self._stopping:
            started = time.monotonic()
            await self._start()
            assert self.process is not None  # `_start` has just set it
            code = await self.process.wait()
            if self._stopping:
                return
            pause = FIRST_PAUSE if time.monotonic() - started > STEADY_SECONDS else min(self.longest_pause, pause * 2)
            self.tell(f"{self.name} ended with code {code}; starting it again in {pause:g} s")
            await asyncio.sleep(pause)

    async def stop(self) -> None:
        """Ask it to stop; kill it after fifteen seconds."""
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
        # The child has its own session: Ctrl-C in the terminal reaches `up` alone, which stops the children in order.
        # The pipe on the child's standard input closes when `up` dies, however it dies.
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self.module,
            *self.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=self.output,
            stderr=self.output,
            env={**os.environ, **self.environment, PARENT_PIPE: "0"},
            start_new_session=True,
        )
