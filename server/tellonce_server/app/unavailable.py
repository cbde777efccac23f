"""Answers HTTP requests that fail before they reach MCP, for example because the database is down when the token is
looked up."""

import json
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tellonce.client import LATER_META, UNREACHABLE
from tellonce_server.core.errors import OUTAGES, PASSING, RETRY_SECONDS

MOST_BYTES = 64 * 1024
"""Maximum number of bytes of a request's body that are read to find the request's id."""


class Unavailable:
    """Middleware around everything that may need the database. It answers a temporary failure with status 503, a
    Retry-After header, and a sentence as a JSON-RPC error."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            await self._app(scope, receiving, sending)
        except PASSING as failure:
            if begun or scope["type"] != "http":
                raise
            sentence = OUTAGES.noted(failure)
            # If the body was already read, it is not read again, because a second read would wait forever.
            await later(sentence, None if read else await _request_id(receive))(scope, receive, send)


def later(sentence: str, request_id: Any) -> JSONResponse:
    """A response with status 503 and the sentence as a JSON-RPC error."""
    error = {"code": UNREACHABLE, "message": sentence, "data": {LATER_META: True}}
    body = {"jsonrpc": "2.0", "id": request_id, "error": error}
    return JSONResponse(body, status_code=503, headers={"Retry-After": str(RETRY_SECONDS)})


async def _request_id(receive: Receive) -> Any:
    """The JSON-RPC id of the request, so that the client can identify the failed call; None if the id cannot be
    read."""
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
