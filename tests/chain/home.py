"""One person's machine for tests of whole commands, with an empty data folder, a free port and real processes."""

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import Any

from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tests import fork_server
from tests.patience import HANGS, promised
from tests.server.processes import free_port

SETTINGS = (
    *("TELLONCE_", "TELEGRAM_", "ANTHROPIC_", "OLLAMA_", "SUMMARIZER_", "DATABASE_URL", "OBSERVABILITY_", "OTEL_"),
    *("USER_", "MASK_"),
)
"""Prefixes of settings. Settings of the user who runs the tests are removed from the commands' environment."""


class Home:
    """One person's data folder, and the commands that use this folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)},
            "TELLONCE_DATA_DIR": str(folder / "data"),
            "TELLONCE_PORT": str(self.port),
            "TELLONCE_URL": self.url,
            "TELLONCE_EMBEDDINGS": "none",
            "TELLONCE_STDIO_LEARNS": "0",
            "USER_TIMEZONE": "Asia/Singapore",
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def run(self, *arguments: str, told: str = "") -> str:
        """The output of one command that must succeed."""
        code, out, err = await self._run(arguments, told)
        assert code == 0, err
        return out

    async def failing(self, *arguments: str, told: str = "") -> tuple[int, str]:
        """The exit code and the error output of a command that must fail."""
        code, _, err = await self._run(arguments, told)
        assert code != 0, err
        return code, err

    async def everything(self) -> list[dict[str, Any]]:
        """The entries of an export."""
        return [json.loads(line) for line in (await self.run("export")).splitlines()]

    async def report(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the output of a command. The command is allowed to fail."""
        code, out, _ = await self._run(arguments, "")
        return code, out

    async def _run(self, arguments: tuple[str, ...], told: str) -> tuple[int, str, str]:
        process = await fork_server.start(
            *("tellonce_cli.main", *arguments),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self.environment,
            cwd=self.folder,
        )
        out, err = await process.communicate(told.encode())
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    @asynccontextmanager
    async def up(self) -> AsyncIterator[fork_server.Program]:
        """Start `tellonce up` and wait until it is ready. At the end, stop it as Ctrl-C does."""
        process = await fork_server.start(
            *("tellonce_cli.main", "up"), stdout=PIPE, stderr=STDOUT, env=self.environment, cwd=self.folder
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(HANGS):
                while b"Ctrl-C stops everything" not in (line := await process.stdout.readline()):
                    assert line, "it ended while starting"
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGINT)
            async with asyncio.timeout(promised(30)):
                await process.communicate()

    @asynccontextmanager
    async def memory(self) -> AsyncIterator[MemoryClient]:
        token = (self.folder / "data" / "tokens" / "assistant").read_text().strip()
        async with connect_http(self.url, token) as client:
            yield client

    @property
    def cluster(self) -> Path:
        """The folder of PostgreSQL's files. If root runs the tests, this folder is outside the home, because
        PostgreSQL's account cannot enter the home."""
        return (self.folder / "data" / "postgres" / "18").resolve()

    def discard(self) -> None:
        shutil.rmtree(self.cluster, ignore_errors=True)
