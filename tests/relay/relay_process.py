"""Runs the relay as a separate process, for tests that stop it by a signal."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from subprocess import PIPE

from tests import fork_server
from tests.patience import HANGS
from tests.server.processes import HttpServer, end, server_env
from tests.stubs.telegram_emulator import Telegram

TOKEN = "999:emulated"


@dataclass
class RelayProcess:
    """A relay between an emulated Telegram and a server process. It uses the server's data folder. `more` is added to
    the relay's environment."""

    server: HttpServer
    api: Telegram
    more: dict[str, str] = field(default_factory=dict)
    process: fork_server.Program | None = None

    async def start(self) -> None:
        own = {
            "TELLONCE_URL": self.server.url,
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": self.api.url,
            "TELLONCE_RESPONDER": "offline",
            **self.more,
        }
        self.process = await fork_server.start(
            "tellonce_relay",
            env=server_env(self.server.data_dir, None, **own),
            cwd=self.server.data_dir,
            stderr=PIPE,
        )

    async def kill(self) -> None:
        """Kill the process with SIGKILL."""
        assert self.process is not None
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        assert self.process is not None
        return await end(self.process, signal.SIGTERM)

    async def said(self) -> tuple[int, str]:
        """The exit code and standard error of the process, after it has ended."""
        assert self.process is not None
        async with asyncio.timeout(HANGS):
            _, errors = await self.process.communicate()
        return self.process.returncode or 0, errors.decode()


@asynccontextmanager
async def relay_process(server: HttpServer, api: Telegram, **more: str) -> AsyncIterator[RelayProcess]:
    relay = RelayProcess(server, api, more)
    await relay.start()
    try:
        yield relay
    finally:
        if relay.process is not None and relay.process.returncode is None:
            await relay.stop()
