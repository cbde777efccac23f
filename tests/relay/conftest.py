"""Fixtures for tests of the relay."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tests.memory_fixtures import Clock, opened
from tests.relay.running_relay import TOKEN
from tests.relay.scenario_day import TUESDAY, Life
from tests.stubs.telegram_emulator import Telegram, telegram


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the relay try again at once if Telegram or the memory fails."""
    for module in ("telegram.message_sender", "updates.polling", "memory_outage"):
        monkeypatch.setattr(f"tellonce_relay.{module}.FIRST_PAUSE", 0.02)


@pytest.fixture
async def api() -> AsyncIterator[Telegram]:
    """An emulated Telegram, with the bot of `TOKEN`."""
    async with telegram(TOKEN) as emulated:
        yield emulated


@pytest.fixture
async def life(settings: ServerSettings, tmp_path: Path, api: Telegram) -> AsyncIterator[Life]:
    """A person in Berlin who uses the bot, on a Tuesday at ten o'clock."""
    clock = Clock(TUESDAY)
    api.world.clock = clock
    async with opened(Storage(settings.model_copy(update={"timezone": "Europe/Berlin"}), clock)) as memory:
        yield Life(memory, api, clock, tmp_path / "bot")
