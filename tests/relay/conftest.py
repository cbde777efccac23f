"""Fixtures for tests of the relay."""

from collections.abc import AsyncIterator

import pytest

from tests.relay.running_relay import TOKEN
from tests.stubs.telegram_emulator import Telegram, telegram


@pytest.fixture
async def api() -> AsyncIterator[Telegram]:
    """An emulated Telegram, with the bot of `TOKEN`."""
    async with telegram(TOKEN) as emulated:
        yield emulated
