"""Completes event streams that end because the server stops."""

from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVENTS = b"text/event-stream"


class Completed:
    """Middleware that sends the end of an event stream which the application left open. MCP's library leaves such a
    stream open when the server stops, and uvicorn would log an error."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streaming = False

        async def sending(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                streaming = _has_events(message)
            elif not message.get("more_body", False):
                streaming = False
            await send(message)

        await self._app(scope, receive, sending)
        if streaming:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _has_events(start: Mapping[str, Any]) -> bool:
    return any(name == b"content-type" and value.startswith(EVENTS) for name, value in start["headers"])
