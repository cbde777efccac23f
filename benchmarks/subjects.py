"""Runs the measured processes: our server and the server of `benchmarks.floor`, over HTTP and stdio, with our own
clients."""

import asyncio
import hashlib
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult

from benchmarks.population import BIG_OWNER, MEASURED_OWNER
from tellonce.client import MemoryClient
from tellonce.connect import PROTOCOL, connect_http, connect_stdio
from tellonce_server.embedding.model_files import MODEL
from tests.server.processes import free_port

WRITTEN_OWNER = 1_003
"""The owner for calls of tools that write; this owner's rows are deleted after each run."""

READY_SECONDS = 120.0


@dataclass
class Process:
    """A server process with its figures from the kernel."""

    handle: asyncio.subprocess.Process
    seconds_to_start: float

    def resident(self) -> float:
        """The resident memory of the process in MiB."""
        status = Path(f"/proc/{self.handle.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def cpu(self) -> float:
        """The seconds of processor time used so far."""
        fields = Path(f"/proc/{self.handle.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def environment(folder: Path, dsn: str, embeddings: str = "local", **more: str) -> dict[str, str]:
    """The environment variables of a server, without any settings of this machine."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "DATABASE_URL": dsn,
        "TELLONCE_DATA_DIR": str(own_folder(folder, dsn)),
        "TELLONCE_EMBEDDINGS": embeddings,
        "TELLONCE_EMBEDDING_MODEL_DIR": str(folder / "data" / "models" / MODEL),
        "TELEGRAM_USER_ID": f"{MEASURED_OWNER},{BIG_OWNER},{WRITTEN_OWNER}",
        **more,
    }


def own_folder(folder: Path, dsn: str) -> Path:
    """The data folder of the server for that database."""
    return folder / "servers" / hashlib.sha256(dsn.encode()).hexdigest()[:12]


@asynccontextmanager
async def started(command: list[str], env: dict[str, str], url: str | None) -> AsyncGenerator[Process]:
    """Start a process. If `url` is given, wait until a request to it returns status 200. At the end, the process gets
    SIGTERM."""
    began = time.perf_counter()
    handle = await asyncio.create_subprocess_exec(*command, env=env, stdin=asyncio.subprocess.DEVNULL)
    try:
        if url is not None:
            await _answers(url, handle)
        yield Process(handle, time.perf_counter() - began)
    finally:
        if handle.returncode is None:
            handle.send_signal(signal.SIGTERM)
            await handle.wait()


async def _answers(url: str, handle: asyncio.subprocess.Process) -> None:
    async with httpx2.AsyncClient() as http, asyncio.timeout(READY_SECONDS):
        while True:
            if handle.returncode is not None:
                raise RuntimeError("the server ended while starting; its stderr says why")
            try:
                if (await http.get(url)).status_code < 500:
                    return
            except httpx2.TransportError:
                pass
            await asyncio.sleep(0.01)


@dataclass
class Ours:
    """Our server over HTTP, with one client for every owner that the server serves."""

    process: Process
    url: str
    token: str
    client: MemoryClient

    async def health(self) -> dict[str, object]:
        async with httpx2.AsyncClient() as http:
            found: dict[str, object] = (await http.get(self.url.replace("/mcp", "/health"))).json()
            return found

    async def model_loaded(self) -> None:
        """Wait until queries are embedded."""
        async with asyncio.timeout(READY_SECONDS):
            while True:
                embeddings = (await self.health())["embeddings"]
                if isinstance(embeddings, dict) and embeddings["ready"]:
                    return
                await asyncio.sleep(0.05)


@asynccontextmanager
async def our_server(
    folder: Path, dsn: str, embeddings: str = "local", source: Path | None = None
) -> AsyncGenerator[Ours]:
    """Our server over HTTP, started like `tellonce serve`. The client has the relay's credential, which gives access to
    every chat.

    If `source` is given, the server of that checkout runs instead.
    """
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    path = {"PYTHONPATH": os.pathsep.join(str(source / part) for part in ("server", "sql"))} if source else {}
    env = environment(folder, dsn, embeddings, TELLONCE_PORT=str(port), **path)
    async with started([sys.executable, "-m", "tellonce_server", "--http"], env, f"{base}/health") as process:
        token = (own_folder(folder, dsn) / "tokens" / "relay").read_text().strip()
        async with connect_http(f"{base}/mcp", token) as client:
            yield Ours(process, f"{base}/mcp", token, client)


@asynccontextmanager
async def our_stdio(folder: Path, dsn: str) -> AsyncGenerator[MemoryClient]:
    env = environment(folder, dsn)
    async with connect_stdio(sys.executable, ["-m", "tellonce_server", "--stdio"], env) as client:
        yield client


class Floor:
    """Calls the dict lookup of `benchmarks.floor` in the same way as `MemoryClient` calls our server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def look_up(self, word: str) -> object:
        params = CallToolRequestParams(name="look_up", arguments={"word": word})
        result = await self._client.session.send_request(CallToolRequest(params=params), CallToolResult)
        return result.structured_content


@asynccontextmanager
async def floor_http() -> AsyncGenerator[Floor]:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "benchmarks.floor", str(port)]
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(started(command, dict(os.environ), base))
        limits = httpx2.Limits(keepalive_expiry=30)
        http = await stack.enter_async_context(httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(limits=limits)))
        transport = streamable_http_client(f"{base}/mcp", http_client=http)
        yield Floor(await stack.enter_async_context(Client(transport, mode=PROTOCOL)))


@asynccontextmanager
async def floor_stdio() -> AsyncGenerator[Floor]:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "benchmarks.floor", "--stdio"], env=dict(os.environ)
    )
    async with Client(parameters, mode=PROTOCOL) as client:
        yield Floor(client)
