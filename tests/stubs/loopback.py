"""Serves any ASGI application on a loopback port during a test."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from socket import socket

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

LAST_REPLIES = 0.1
"""Maximum seconds to wait for open requests when the server stops."""


class CutError(Exception):
    """Raised inside an answer to make the server drop the connection."""


def _unexpected(record: logging.LogRecord) -> bool:
    """Whether to log the record. The record is not logged if the stub or a killed client has dropped the connection."""
    return not (record.exc_info and isinstance(record.exc_info[1], CutError | ClientDisconnect))


class _Server(uvicorn.Server):
    """A server that reports when it listens, and that stops at once. The process handles the signals. uvicorn's own
    server stops more slowly: it checks only ten times a second whether it should stop."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()
        self.ending = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.ending.wait()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in [*self.server_state.connections]:
            connection.shutdown()
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks, timeout=LAST_REPLIES)
        for connection in [*self.server_state.connections]:
            connection.transport.abort()
        for server in self.servers:
            await server.wait_closed()

    @property
    def port(self) -> int:
        return int(self.servers[0].sockets[0].getsockname()[1])


@contextlib.asynccontextmanager
async def served(app: ASGIApp, port: int = 0, protocol: type[asyncio.Protocol] = H11Protocol) -> AsyncIterator[str]:
    """Serve the application. Yields the base URL, such as `http://127.0.0.1:40123`; port 0 selects a free port.
    Requests that are still open at the end are cut off."""
    # Host and port are passed instead of a socket, because asyncio sets TCP_NODELAY only on sockets created with
    # IPPROTO_TCP.
    config = uvicorn.Config(app, host="127.0.0.1", port=port, http=protocol, lifespan="off", log_level="error")
    logging.getLogger("uvicorn.error").addFilter(_unexpected)
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
        server.ending.set()
        await task
