"""The server of another memory runs on the default port. The tests check which memory a command opens."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tellonce import contract as c
from tellonce.children import Child
from tellonce.client_settings import RelaySettings
from tellonce.settings import ServerSettings
from tellonce_cli import memory_server, open_, status, up
from tellonce_cli.screen import CommandFailed

pytestmark = pytest.mark.anyio


class Own:
    async def get_profile(self, _: c.GetProfileArgs) -> None:
        pass


@pytest.fixture
def other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A running server does not accept our token. We can start a server of our own over stdio."""

    async def health(_: str) -> dict[str, Any]:
        return {"ready": True}

    async def answers(_: str, __: str) -> bool:
        return False

    @asynccontextmanager
    async def stdio(*_: Any, **__: Any) -> AsyncGenerator[Own]:
        yield Own()

    async def problem(_: str) -> str:
        return ""

    stubs = {"health": health, "_answers": answers, "connect_stdio": stdio, "database_problem": problem}
    for name, stub in stubs.items():
        monkeypatch.setattr(memory_server, name, stub)
    for variable in ("TELLONCE_URL", "TELLONCE_PORT", "TELLONCE_TOKEN"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.usefixtures("other_server")
async def test_another_memorys_server_stops_no_command_that_needs_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = RelaySettings.model_validate({"data_dir": tmp_path})
    with pytest.raises(CommandFailed, match="set TELLONCE_PORT to another port"):
        async with memory_server.connected(settings):
            pass
    (tmp_path / "tokens").mkdir()
    (tmp_path / "tokens" / "assistant").write_text("ours")
    async with memory_server.connected(settings) as memory:
        assert isinstance(memory, Own)
    assert "has another memory. This command uses the memory in" in capsys.readouterr().err
    with pytest.raises(CommandFailed, match="has another memory"):
        async with memory_server.connected(RelaySettings.model_validate({"TELLONCE_PORT": 8765, "data_dir": tmp_path})):
            pass


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"version": "1", "ready": False, "reason": None}, "is still starting; try again in a moment."),
        (
            {"version": "1", "ready": False, "reason": "no disk."},
            "cannot open its memory: no disk. Run `tellonce doctor`",
        ),
        ({}, "no server answers at .* Start it with `tellonce up`, and wait until it says “tellonce is up”"),
    ],
)
@pytest.mark.parametrize("command", [status.run, lambda: open_.run(only_print=True)])
async def test_a_command_that_needs_the_server_says_what_it_waits_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    report: dict[str, Any],
    said: str,
    command: Callable[[], Awaitable[None]],
) -> None:
    async def health(_: str) -> dict[str, Any]:
        return report

    monkeypatch.setattr(memory_server, "health", health)
    monkeypatch.setenv("TELLONCE_DATA_DIR", str(tmp_path))
    for variable in ("TELLONCE_URL", "TELLONCE_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(CommandFailed, match=said):
        await command()


async def test_a_database_that_is_down_is_not_said_to_be_opening(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = [{}, {"version": "1"}, {"version": "1"}, {"version": "1", "reason": "Connection refused"}]

    async def health(_: str) -> dict[str, Any]:
        return reports.pop(0)

    monkeypatch.setattr(up, "health", health)
    server = Child("server", "tellonce_server", (), {}, lambda *_: None)
    assert await up._until_ready(ServerSettings(), asyncio.Event(), server) is False
    said = capsys.readouterr().out
    assert ("Connection refused" in said, "opens the database" in said) == (True, False)
