"""Receives updates over HTTP. The status is 200 if the update was accepted; after any other status, Telegram sends the
update again."""

import asyncio
import hmac
import json
import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from telegram import Bot

from tellonce.client import MemoryUnreachable
from tellonce_relay.updates.polling import Receiver, readable

logger = logging.getLogger(__name__)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
MOST_BYTES = 1024 * 1024


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def application(bot: Bot, receiver: Receiver, path: str, secret: str) -> Starlette:
    """An application with one route. Updates are accepted one by one in their order."""
    lock = asyncio.Lock()

    async def receive(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get(SECRET_HEADER, "").encode(), secret.encode()):
            return PlainTextResponse("not from Telegram", 403)
        raw = await _json(request)
        if raw is None:
            return PlainTextResponse("no update", 400)
        update = readable(raw, bot, receiver)
        if update is None:
            # Telegram would send a refused update again. The update would still be unreadable, and would block all
            # later updates.
            return PlainTextResponse("passed over")
        try:
            async with lock:
                await receiver.take(update)
        except MemoryUnreachable as error:
            logger.warning("the memory is unavailable; Telegram must send update %s again: %s", update.update_id, error)
            return PlainTextResponse("later", 503)
        return PlainTextResponse("ok")

    return Starlette(routes=[Route(path, receive, methods=["POST"])])


async def serve_webhook(bot: Bot, receiver: Receiver, url: str, port: int, secret: str, stop: asyncio.Event) -> None:
    """Listen on `port` on all addresses, behind the TLS proxy of `url`, until stopped."""
    # Host and port are passed instead of a socket, because asyncio sets TCP_NODELAY only on sockets created with
    # IPPROTO_TCP.
    config = uvicorn.Config(
        application(bot, receiver, urlsplit(url).path or "/", secret),
        host="0.0.0.0",
        port=port,
        http="h11",
        lifespan="off",
        log_config=None,  # errors of the server go to our log
        log_level="warning",
        timeout_graceful_shutdown=3,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    server.should_exit = True
    await serving


async def _json(request: Request) -> dict[str, Any] | None:
    body = await request.body()
    if len(body) > MOST_BYTES:
        return None
    try:
        raw = json.loads(body)
    except ValueError:
        return None
    return raw if isinstance(raw, dict) and isinstance(raw.get("update_id"), int) else None
