"""Fixtures for tests of the relay."""

from collections.abc import AsyncIterator

import pytest

from tests.relay.running_relay import TOKEN
from tests.stubs.telegram_emulator import Telegram, telegram


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the relay try again at once if Telegram or the memory fails."""
    for module in ("telegram.outbox", "updates.polling", "memory_outage"):
        monkeypatch.setattr(f"tellonce_relay.{module}.FIRST_PAUSE", 0.02)


@pytest.fixture
async def api() -> AsyncIterator[Telegram]:
    """An emulated Telegram, with the bot of `TOKEN`."""
    async with telegram(TOKEN) as emulated:
        yield emulated
