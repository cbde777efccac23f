"""Older releases were called chatmem. Their settings and data are still used, with a warning."""

import logging
from pathlib import Path

import pytest

from tellonce import former_name
from tellonce.client_settings import RelaySettings
from tellonce.file_lock import hold
from tellonce.settings import ServerSettings, load
from tellonce.work import ClaimWorkArgs, ModelCall
from tellonce_server.app import memory_location


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("TELLONCE_DATA_DIR", raising=False)
    (tmp_path / "data").mkdir()
    former_name._warned.clear()
    return tmp_path / "data"


def test_settings_under_the_former_name_are_read_where_the_new_name_is_not_set(
    machine: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CHATMEM_PORT", "9001")
    monkeypatch.setenv("CHATMEM_HOST", "127.0.0.2")
    monkeypatch.setenv("TELLONCE_HOST", "127.0.0.3")
    monkeypatch.setenv("CHATMEM_BUDGETS__PROFILE", "11")
    (machine.parent / ".env").write_text("CHATMEM_EMBEDDINGS=none\nTELLONCE_BUDGETS__QUOTED=7\n")
    with caplog.at_level(logging.WARNING):
        settings = load(ServerSettings)
        load(ServerSettings)
    assert (settings.port, settings.host, settings.embeddings) == (9001, "127.0.0.3", "none")
    assert (settings.budgets.profile, settings.budgets.quoted) == (11, 7)
    warned = [record.getMessage() for record in caplog.records]
    assert "CHATMEM_PORT is read as TELLONCE_PORT in this release only; rename it" in warned
    assert len(warned) == len(set(warned)) == 4


def test_settings_that_were_grouped_since_are_read_under_their_former_names(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TELEGRAM_WEBHOOK_URL", "https://bot.example.org/telegram")
    monkeypatch.setenv("TELEGRAM_WEBHOOK_SECRET", "long")
    monkeypatch.setenv("TELEGRAM_WEBHOOK__SECRET", "longer")
    with caplog.at_level(logging.WARNING):
        webhook = load(RelaySettings).webhook
    assert (webhook.url, webhook.port, webhook.secret_text) == ("https://bot.example.org/telegram", 8443, "longer")
    assert "TELEGRAM_WEBHOOK_URL is read as TELEGRAM_WEBHOOK__URL in this release only; rename it" in caplog.messages


def test_the_former_folder_is_used_until_it_is_moved_and_moved_once(machine: Path) -> None:
    assert load(ServerSettings).data_dir == machine / "tellonce"
    (machine / "chatmem").mkdir()
    (machine / "chatmem" / "kept").write_text("yes")
    assert load(ServerSettings).data_dir == machine / "chatmem"
    assert memory_location.move_former_folder() == f"The memory was moved from {machine}/chatmem to {machine}/tellonce."
    assert (load(ServerSettings).data_dir / "kept").read_text() == "yes"
    assert memory_location.move_former_folder() is None


@pytest.mark.anyio
async def test_a_folder_in_use_stays(machine: Path) -> None:
    (machine / "chatmem").mkdir()
    lock = await hold(machine / "chatmem" / ".use", "shared")
    try:
        assert "is in use by a server of the former name" in (memory_location.move_former_folder() or "")
    finally:
        lock.release()
    assert load(ServerSettings).data_dir == machine / "chatmem"


def test_an_agent_of_the_release_before_is_understood() -> None:
    assert ClaimWorkArgs.model_validate({"worker": "one", "best_rung": "claude"}).best_tier == "claude"
    assert ModelCall.model_validate({"model": "m", "rung": "ollama"}).tier == "ollama"
