"""The bot behaves as documented."""

import re
from pathlib import Path

import pytest

from tellonce.client_settings import RelaySettings
from tellonce.settings import load, variable
from tellonce_relay.routines.file import load_routines
from tellonce_relay.turn.agents import load_agents

ROOT = Path(__file__).parents[2]
PAPERS = ("tutorials/telegram-bot.md", "how-to/groups.md", "how-to/routines.md", "reference/telegram.md")
TEXT = "\n".join((ROOT / "docs" / paper).read_text() for paper in PAPERS)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_files_shown_can_be_read(tmp_path: Path) -> None:
    agents, routines = blocks("toml")
    (tmp_path / "agents.toml").write_text(agents)
    (tmp_path / "routines.toml").write_text(routines)
    assert load_agents(tmp_path).at(-1001234567890, 7).id == "aws-architect"
    assert [routine.name for routine in load_routines(tmp_path).valid] == ["aws-daily-cost"]


def test_the_settings_shown_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {variable(name, field) for name, field in RelaySettings.model_fields.items()}
    lines = [line.strip() for block in blocks("sh") for line in block.strip().split("\n")]
    shown = [line.partition("=") for line in lines if not line.startswith("tellonce ")]
    assert {name.partition("__")[0] for name, _, _ in shown} <= known
    for name, _, value in shown:
        monkeypatch.setenv(name, value)
    settings = load(RelaySettings, _env_file=None)
    assert settings.webhook.port == 8443
    assert settings.groups == (-1001234567890,)
