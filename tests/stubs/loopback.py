"""Serves an ASGI application on a loopback port for as long as a test needs it; knows nothing of what it serves."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from socket import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol


class _Server(uvicorn.Server):
    """Leaves the process's signals alone and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @property
    def port(self) -> int:
        return int(self.servers[0].sockets[0].getsockname()[1])


@contextlib.asynccontextmanager
async def served(app: ASGIApp, port: int = 0, protocol: type[asyncio.Protocol] = H11Protocol) -> AsyncIterator[str]:
    """The base URL, e.g. `http://127.0.0.1:40123`; port 0 takes a free one. Requests still open at the end are cut."""
    # Host and port, not a socket of ours: asyncio sets TCP_NODELAY only on sockets it made with IPPROTO_TCP.
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, http=protocol, lifespan="off", log_level="error", timeout_graceful_shutdown=1
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve())
    listening = asyncio.create_task(server.listening.wait())
    await asyncio.wait({task, listening}, return_when=asyncio.FIRST_COMPLETED)
    if not server.listening.is_set():
        listening.cancel()
        await task
        raise RuntimeError(f"nothing could listen on port {port}")
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.should_exit = True
        server.force_exit = True
        await task
