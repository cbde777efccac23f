"""Serves any ASGI application on a loopback port during a test."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from socket import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol


class _Server(uvicorn.Server):
    """A server that leaves signal handling to the process and reports when it listens."""

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
    """Serve the application. Yields the base URL, such as `http://127.0.0.1:40123`; port 0 selects a free port.
    Requests that are still open at the end are cut off."""
    # Host and port are passed instead of a socket, because asyncio sets TCP_NODELAY only on sockets created with
    # IPPROTO_TCP.
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
