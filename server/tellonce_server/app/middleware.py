"""ASGI middleware around all routes: it refuses unknown hosts, answers database outages, and completes event streams."""

import json
from collections.abc import Sequence
from typing import Any

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tellonce.client import LATER_META, UNREACHABLE
from tellonce_server.core.errors import DATABASE_ERRORS, RETRY_SECONDS, TEMPORARY_FAILURES

EVENTS = b"text/event-stream"
MOST_BYTES = 64 * 1024
"""Maximum number of bytes of a request's body that are read to find the request's id."""


def known_hosts(
    app: ASGIApp, public: TransportSecuritySettings, own: TransportSecuritySettings, private: Sequence[str]
) -> ASGIApp:
    """The outermost middleware. It refuses requests with an unknown Host or Origin header, which prevents DNS
    rebinding. The paths in `private` are served only for the hosts in `own`."""
    for_public, for_own = TransportSecurityMiddleware(public), TransportSecurityMiddleware(own)

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        refusal = None
        if scope["type"] == "http":
            security = for_own if scope["path"].rstrip("/") in private else for_public
            refusal = await security.validate_request(Request(scope))
        await (refusal or app)(scope, receive, send)

    return guarded


def completed(app: ASGIApp) -> ASGIApp:
    """Middleware that sends the end of an event stream which the application left open. MCP's library leaves such a
    stream open when the server stops, and uvicorn would log an error."""

    async def completing(scope: Scope, receive: Receive, send: Send) -> None:
        streaming = False

        async def sending(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                kinds = [value for name, value in message["headers"] if name == b"content-type"]
                streaming = any(kind.startswith(EVENTS) for kind in kinds)
            elif not message.get("more_body", False):
                streaming = False
            await send(message)

        await app(scope, receive, sending)
        if streaming:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return completing


def unavailable(app: ASGIApp) -> ASGIApp:
    """Middleware that answers a temporary failure with status 503 and a JSON-RPC error. It also covers the lookup of
    the token."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        begun = read = False

        async def receiving() -> Message:
            nonlocal read
            read = True
            return await receive()

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await app(scope, receiving, sending)
        except TEMPORARY_FAILURES as failure:
            if begun or scope["type"] != "http":
                raise
            sentence = DATABASE_ERRORS.noted(failure)
            # If the body was already read, it is not read again, because a second read would wait forever.
            await later(sentence, None if read else await _request_id(receive))(scope, receive, send)

    return answering


def later(sentence: str, request_id: Any) -> JSONResponse:
    """A response with status 503 and the sentence as a JSON-RPC error."""
    error = {"code": UNREACHABLE, "message": sentence, "data": {LATER_META: True}}
    body = {"jsonrpc": "2.0", "id": request_id, "error": error}
    return JSONResponse(body, status_code=503, headers={"Retry-After": str(RETRY_SECONDS)})


async def _request_id(receive: Receive) -> Any:
    body, more = b"", True
    while more and len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body, more = body + message.get("body", b""), message.get("more_body", False)
    try:
        found = json.loads(body)["id"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return found if isinstance(found, str | int) else None
