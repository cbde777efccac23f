"""A Bot API client with the waits a relay needs; entering it asks Telegram nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from telegram import Bot
from telegram.request import HTTPXRequest

SECONDS = 20.0
POLL_READ_SECONDS = 40.0


@asynccontextmanager
async def make_bot(token: str, api_url: str) -> AsyncGenerator[Bot]:
    """Long polls have a connection of their own, so that an answer never waits for one."""
    request = HTTPXRequest(connection_pool_size=64, read_timeout=SECONDS, write_timeout=SECONDS, connect_timeout=5)
    polling = HTTPXRequest(connection_pool_size=1, read_timeout=POLL_READ_SECONDS, connect_timeout=5)
    bot = Bot(token, f"{api_url}/bot", f"{api_url}/file/bot", request=request, get_updates_request=polling)
    await request.initialize()
    await polling.initialize()
    try:
        yield bot
    finally:
        await polling.shutdown()
        await request.shutdown()
