"""A Bot API client with timeouts for a relay. Creating the client sends no request."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from telegram import Bot
from telegram.error import NetworkError
from telegram.request import HTTPXRequest

SECONDS = 20.0
CONNECTIONS = 64

# Makes the library return durations as timedelta. Otherwise it logs a deprecation warning whenever Telegram throttles a
# request.
os.environ.setdefault("PTB_TIMEDELTA", "1")


class _Request(HTTPXRequest):
    """Reports an answer that is not JSON as lost. The library would report it as a refusal."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(payload)
        except ValueError as error:
            raise NetworkError("Telegram's answer is not JSON") from error
        return answer


@asynccontextmanager
async def make_bot(token: str, api_url: str) -> AsyncGenerator[Bot]:
    """A client of the Bot API at `api_url` for the bot with this `token`."""
    request = _Request(
        connection_pool_size=CONNECTIONS,
        read_timeout=SECONDS,
        write_timeout=SECONDS,
        connect_timeout=5,
    )
    await request.initialize()
    try:
        # Without `get_updates_request`, the library creates a second client for updates, and nobody would close it.
        yield Bot(token, f"{api_url}/bot", f"{api_url}/file/bot", request=request, get_updates_request=request)
    finally:
        await request.shutdown()
