"""A loopback port on which a stdio server offers the agent's tools to its own summarizer. A secret protects the
port."""

import asyncio
import contextlib
import hmac
import secrets
import socket
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tellonce.settings import ServerSettings
from tellonce_server.app.server import AGENT, build_server
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import Caller

LOOPBACK = "127.0.0.1"
POLL_SECONDS = 0.01
GRACE_SECONDS = 1


@dataclass(frozen=True)
class AgentPort:
    """The address of the agent's tools, and the secret that callers must send."""

    url: str
    token: str


@contextlib.asynccontextmanager
async def agent_port(settings: ServerSettings, storage: Storage) -> AsyncGenerator[AgentPort]:
    """Keep the port open during the block."""
    token = secrets.token_urlsafe(32)
    agent = Caller(None, AGENT)
    server = build_server(settings, storage, auth=False, caller_of=lambda: agent)
    app = server.streamable_http_app(streamable_http_path="/mcp", stateless_http=True, host=LOOPBACK)
    # asyncio turns Nagle's algorithm off only for sockets with the explicit protocol TCP. With Nagle's algorithm, each
    # response would take 40 ms longer.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind((LOOPBACK, 0))
        config = uvicorn.Config(
            _guarded(app, token),
            timeout_graceful_shutdown=GRACE_SECONDS,
            access_log=False,
            log_config=None,
            log_level="warning",
        )
        served = _Server(config)
        serving = asyncio.create_task(served.serve([listening]))
        try:
            while not served.started and not serving.done():  # noqa: ASYNC110  # uvicorn has no event for this
                await asyncio.sleep(POLL_SECONDS)
            yield AgentPort(f"http://{LOOPBACK}:{listening.getsockname()[1]}/mcp", token)
        finally:
            served.should_exit = True
            await serving


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Do not handle signals, because the stdio server handles them."""
        yield


def _guarded(app: ASGIApp, token: str) -> ASGIApp:
    """Answers 401 to every request without the secret."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        given = next((value for name, value in scope.get("headers", ()) if name == b"authorization"), b"")
        admitted = scope["type"] != "http" or hmac.compare_digest(given, expected)
        await (app if admitted else Response(status_code=401))(scope, receive, send)

    return guard
