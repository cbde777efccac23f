"""Runs and kills the processes of one memory. `tellonce up` supervises its processes in the same way. This module calls
no tools."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Literal

from tellonce.children import Child
from tellonce.shutdown import PARENT_PIPE
from tellonce_server.postgres.embedded_cluster import postmaster
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tests import fork_server
from tests.patience import until
from tests.server.processes import free_port

Target = Literal["server", "summarizer", "postmaster", "backend"]

# How often each kind of process is killed, relative to the other kinds. If one backend is killed, PostgreSQL restarts
# all its processes by itself.
WEIGHTS: Mapping[Target, int] = {"server": 4, "summarizer": 3, "postmaster": 2, "backend": 3}
QUEUE = '{"lease_seconds": 3, "backoff_seconds": 0.1, "backoff_cap_seconds": 1, "poll_seconds": 0.3}'
COMPACTION = '{"max_messages": 12, "keep": 4, "keep_when_long": 4, "chunk": 4, "profile_exchanges": 2}'


class ForkedChild(Child):
    """A supervised process that is forked. Therefore it does not import its modules again after a kill."""

    async def _start(self) -> None:
        self.process = await fork_server.start(  # type: ignore[assignment]  # it has what `Child` uses of a process
            *(self.module, *self.arguments),
            env={**os.environ, **self.environment, PARENT_PIPE: "0"},
            cwd=Path.cwd(),
            stdin=asyncio.subprocess.PIPE,
            stdout=self.output,
            stderr=self.output,
        )


class World:
    """The server, summarizer and embedded PostgreSQL of one data folder."""

    kind: type[Child] = Child

    def __init__(self, folder: Path, users: tuple[int, ...], **settings: str) -> None:
        """`settings` are added to the processes' environment. An empty value means a setting's default."""
        self.folder = folder
        self.port = free_port()
        self.postgres = EmbeddedPostgres(folder / "data" / "postgres")
        environment = {
            "TELLONCE_DATA_DIR": str(folder / "data"),
            "TELLONCE_LOG_DIR": str(folder / "logs"),
            "TELLONCE_PORT": str(self.port),
            "TELLONCE_URL": self.url,
            "TELLONCE_EMBEDDINGS": "none",
            "TELLONCE_QUEUE": QUEUE,
            "TELLONCE_COMPACTION": COMPACTION,
            "DATABASE_URL": "",
            "ANTHROPIC_API_KEY": "",
            "OLLAMA_HOST": "",
            "OBSERVABILITY_ENABLED": "1",
            "TELEGRAM_USER_ID": ",".join(map(str, users)),
            "USER_TIMEZONE": "Asia/Singapore",
            **settings,
        }
        folder.mkdir(parents=True, exist_ok=True)
        self._output = os.open(folder / "processes.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.children = {
            "server": self._child("server", "tellonce_server", ("--http",), environment),
            "summarizer": self._child("summarizer", "tellonce_summarizer", (), environment),
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def dsn(self) -> str:
        return self.postgres.dsn(SUPERUSER)

    def token(self, scope: str) -> str:
        return (self.folder / "data" / "tokens" / scope).read_text().strip()

    def logs(self) -> list[Path]:
        """Every file into which the processes write log messages."""
        return [self.folder / "processes.log", self.postgres.cluster / "server.log", *self.folder.glob("logs/*")]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        tasks = [asyncio.create_task(self.children["server"].supervise())]
        try:
            await until(lambda: (self.folder / "data" / "tokens" / "agent").exists())
            tasks.append(asyncio.create_task(self.children["summarizer"].supervise()))
            yield
        finally:
            for name in ("summarizer", "server"):
                await self.children[name].stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.postgres.stop()

    def remove(self) -> None:
        """Delete all files, including a cluster outside the folder."""
        os.close(self._output)
        shutil.rmtree(self.postgres.cluster, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self, target: Target, chance: Random) -> str | None:
        """Kill one process of the kind with SIGKILL. Returns its name, or None if none is running."""
        pid = self._pid(target, chance)
        if pid is None:
            return None
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return None
        return f"{target} {pid}"

    def pid(self, child: str) -> int | None:
        """The pid of the server or the summarizer; None while it is not running."""
        process = self.children[child].process
        return process.pid if process is not None and process.returncode is None else None

    def _pid(self, target: Target, chance: Random) -> int | None:
        if target in self.children:
            return self.pid(target)
        head = postmaster(self.postgres.cluster)
        if head is None or target == "postmaster":
            return head
        backends = sorted(children_of(head))
        return chance.choice(backends) if backends else None

    def _child(self, name: str, module: str, arguments: tuple[str, ...], environment: dict[str, str]) -> Child:
        return self.kind(name, module, arguments, environment, _unheard, longest_pause=0.5, output=self._output)


class ForkedWorld(World):
    """A world that forks its processes, for tests that do not measure the memory use or the start of the processes."""

    kind = ForkedChild


def _unheard(_: str) -> None:
    """Ignore messages about restarts, because this test causes them itself."""


def children_of(parent: int) -> list[int]:
    """The live children of a process. On Linux, the `stat` file of a process contains its name, its state and its
    parent's pid, in this order."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(entry.name))
    return found
