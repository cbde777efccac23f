"""Serves MCP over streamable HTTP with uvicorn, and the operator's pages `/health`, `/ready` and `/metrics`. Limits the
size of requests and the time in which they must arrive, and shuts down gracefully."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncGenerator, Generator
from socket import socket
from typing import ClassVar
from urllib.parse import urlsplit

import h11
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from tellonce.settings import ServerSettings
from tellonce_server.api.middleware import OpenStreams, show_hooked
from tellonce_server.app.authorization import authorized, confirmed
from tellonce_server.app.metrics import Metrics
from tellonce_server.app.middleware import completed, known_hosts, unavailable
from tellonce_server.app.page.protection import cookie_name, with_cookie
from tellonce_server.app.page.site import add_page
from tellonce_server.app.server import VERSION, MemoryServer, build_server
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import DATABASE_FAILURES, StorageUnavailable
from tellonce_server.core.limits import RateLimit
from tellonce_server.store.uploads import Uploads

BODY_BYTES = 2 * 1024 * 1024
KEEP_ALIVE_SECONDS = 75
GRACE_SECONDS = 3
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def build_http(settings: ServerSettings, storage: Storage, streams: OpenStreams) -> Starlette:
    """The ASGI application. The storage is open while the app runs."""
    server = build_server(settings, storage, auth=True, middleware=(streams, show_hooked))
    security = transport_security(settings)
    add_operator_pages(server, storage)
    add_page(server, storage)
    app = server.streamable_http_app(
        streamable_http_path="/mcp",
        stateless_http=True,
        host=settings.host,
        max_request_body_size=BODY_BYTES,
        transport_security=security,
    )
    # Middleware at index 0 runs before authentication. Appended middleware runs after authentication and knows the
    # credential.
    app.user_middleware.insert(0, Middleware(with_cookie, name=cookie_name(settings.port)))
    app.user_middleware.insert(0, Middleware(unavailable))
    app.user_middleware.insert(0, Middleware(completed))
    own = transport_security(settings, public=False)
    app.user_middleware.insert(0, Middleware(known_hosts, public=security, own=own, private=[FIGURES]))
    app.user_middleware.append(Middleware(authorized, limit=RateLimit(settings.remote.rate_limit)))
    app.user_middleware.append(Middleware(confirmed))
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(running: Starlette) -> AsyncGenerator[None]:
        with Uploads(settings.data_dir).cleared():
            async with storage.running(), inner(running):
                yield

    app.router.lifespan_context = lifespan
    return app


def transport_security(settings: ServerSettings, *, public: bool = True) -> TransportSecuritySettings:
    """The hosts and origins that may call the server, as a protection against DNS rebinding."""
    outside = urlsplit(settings.remote.url).hostname if public else None
    names = [*LOOPBACK, settings.own_name, *settings.allowed_hosts, *([outside] if outside else [])]
    hosts = [form for name in names for form in (name, f"{name}:*")]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


async def serve_http(settings: ServerSettings) -> None:
    """Serve until SIGINT or SIGTERM. After the signal, running calls have three seconds to finish."""
    streams = OpenStreams()
    config = uvicorn.Config(
        build_http(settings, Storage(settings), streams),
        host=settings.host,
        port=settings.port,
        # RequestTimeout is based on h11. The alternative, httptools, keeps trailing spaces in header values, although
        # the protocol forbids them.
        http=RequestTimeout,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        access_log=False,
        log_config=None,  # uvicorn uses our log for its errors
        log_level="warning",
    )
    await _Server(config, streams).serve()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, streams: OpenStreams) -> None:
        super().__init__(config)
        self._streams = streams

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._streams.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Handle signals as uvicorn does, but end with code 0 and without a traceback."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class RequestTimeout(H11Protocol):
    """Limits how long a request may take to arrive. For the first request, the time starts when the connection opens.
    For a later request, the time starts with the request's first byte. Between two requests, uvicorn's keep-alive timer
    applies."""

    seconds: ClassVar[float] = 30.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._watch()
        else:
            self._rest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self.transport.close)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


FIGURES = "/metrics"
READY_SECONDS = 2.0
"""Maximum seconds that `/ready` waits for the database."""


def add_operator_pages(server: MemoryServer, storage: Storage) -> None:
    metrics = Metrics(storage)
    storage.on_call(metrics.called)

    async def health(_: Request) -> Response:
        """Answer 200 if storage is open, otherwise 503 with the reason. This page never waits."""
        state = await storage.health()
        return JSONResponse({**state, "version": VERSION}, status_code=200 if state["ready"] else 503)

    async def ready(_: Request) -> Response:
        """Answer 200 if the database answers now, otherwise 503 with the reason."""
        reason = await _hindrance(storage)
        return JSONResponse({"ready": reason is None, "reason": reason}, status_code=503 if reason else 200)

    async def figures(_: Request) -> Response:
        return Response(await metrics.text(), media_type=CONTENT_TYPE_LATEST)

    for path, page in (("/health", health), ("/ready", ready), (FIGURES, figures)):
        server.custom_route(path, methods=["GET"])(page)


async def _hindrance(storage: Storage) -> str | None:
    try:
        async with asyncio.timeout(READY_SECONDS):
            services = await storage.services()
            await services.work.attendance.at_work()
    except TimeoutError:
        return "the database does not answer in time"
    except (StorageUnavailable, *DATABASE_FAILURES) as error:
        return "the database cannot be reached" if not isinstance(error, StorageUnavailable) else str(error)
    return None
