"""Runs real server processes for tests. They are started on a free loopback port or on pipes, and stopped by signals.
This module calls no tools."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import httpx2

from tests import fork_server
from tests.patience import HANGS, promised

Process = asyncio.subprocess.Process | fork_server.Program


def free_port() -> int:
    """Reserve a port until this process ends.

    The socket stays bound but does not listen. Therefore the system does not give the port to another socket. The
    system refuses connections to the port. A server can still listen on the port if it names this port and sets
    SO_REUSEADDR, as asyncio does.
    """
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    port = int(probe.getsockname()[1])
    probe.detach()
    return port


def server_env(data_dir: Path, dsn: str | None = None, **more: str) -> dict[str, str]:
    """The environment of a separate server, without any of this machine's settings."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ
    }
    own = {
        "TELLONCE_DATA_DIR": str(data_dir),
        "TELLONCE_EMBEDDINGS": "none",
        "USER_TIMEZONE": "Asia/Singapore",
        "TELEGRAM_USER_ID": "42",
        "TELLONCE_STDIO_LEARNS": "0",
        "PYTHONWARNINGS": "default",
    }
    database = {"DATABASE_URL": dsn} if dsn is not None else {}
    return {**kept, **own, **database, **more}


def command(transport: str) -> list[str]:
    return [fork_server.python(), "-m", "tellonce_server", f"--{transport}"]


@dataclass
class HttpServer:
    """A server on loopback. `cwd` is a folder without a `.env`."""

    data_dir: Path
    dsn: str | None
    settings: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: fork_server.Program | None = None
    log: Path | None = None
    """The file for its log; None means our standard error."""

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.base}/mcp"

    def token(self, scope: str = "assistant") -> str:
        return (self.data_dir / "tokens" / scope).read_text().strip()

    def headers(self, scope: str = "assistant") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(scope)}"}

    async def start(self) -> None:
        """Start the server and wait until it answers calls."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            self.process = await fork_server.start(
                *("tellonce_server", "--http"),
                env=server_env(self.data_dir, self.dsn, TELLONCE_PORT=str(self.port), **self.settings),
                cwd=self.data_dir,
                stderr=stack.enter_context(self.log.open("ab")) if self.log is not None else None,
            )
        with anyio.fail_after(HANGS):
            await self._ready()

    async def _ready(self) -> None:
        async with httpx2.AsyncClient() as http:
            while True:
                assert self.process is not None
                assert self.process.returncode is None, "the server ended while starting; its stderr says why"
                with suppress(httpx2.TransportError):
                    health = (await http.get(f"{self.base}/health")).json()
                    assert health["reason"] is None, health["reason"]
                    if health["ready"]:
                        return
                await asyncio.sleep(0.05)

    async def stop(self, number: int = signal.SIGTERM, seconds: float = 15) -> int:
        """Send the signal and return the exit code. If the process does not end within `seconds`, it is killed and an
        error is raised."""
        assert self.process is not None
        return await end(self.process, number, seconds)


async def end(process: Process, number: int = signal.SIGTERM, seconds: float = 15) -> int:
    if process.returncode is None:
        process.send_signal(number)
    return await exit_code(process, seconds)


async def exit_code(process: Process, seconds: float) -> int:
    """Wait at most `seconds` for the exit code. After that, kill the process and raise TimeoutError."""
    try:
        return await asyncio.wait_for(process.wait(), promised(seconds))
    except TimeoutError:
        process.kill()
        await process.wait()
        raise


@asynccontextmanager
async def http_server(
    data_dir: Path, dsn: str | None, log: Path | None = None, **settings: str
) -> AsyncGenerator[HttpServer]:
    server = HttpServer(data_dir, dsn, settings, log=log)
    try:
        await server.start()
        yield server
    finally:
        if server.process is not None:
            await server.stop()


async def stdio_server(data_dir: Path, dsn: str | None, **settings: str) -> fork_server.Program:
    """A stdio server with open pipes. The caller must end it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    environment = server_env(data_dir, dsn, **settings)
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    return await fork_server.start("tellonce_server", "--stdio", env=environment, cwd=data_dir, **pipes)


async def cold_stdio_server(
    data_dir: Path, dsn: str, program: Sequence[str] = ("-m", "tellonce_server", "--stdio")
) -> asyncio.subprocess.Process:
    """A stdio server that is not forked: the new process imports everything itself."""
    data_dir.mkdir(parents=True, exist_ok=True)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *program,
        env=server_env(data_dir, dsn),
        cwd=data_dir,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=fork_server.LONGEST_LINE,
    )
