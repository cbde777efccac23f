"""The configuration that `connect` writes for hosts."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from tellonce.settings import ServerSettings, load
from tellonce_cli import connect
from tellonce_cli.hosts import ClientName, address, desktop_snippet
from tellonce_cli.screen import CommandFailed
from tellonce_server.app.http import transport_security


def entry(**environment: str) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TELLONCE_DATA_DIR", "TELLONCE_EMBEDDINGS", "DATABASE_URL", "TELEGRAM_USER_ID", "USER_TIMEZONE"):
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        snippet: dict[str, object] = desktop_snippet(load(ServerSettings, _env_file=None))["mcpServers"]["memory"]
    return snippet


def test_a_host_gets_no_variables_if_no_settings_were_set() -> None:
    assert "env" not in entry()


def test_a_host_gets_the_owner_the_place_and_the_zone_of_the_memory(tmp_path: Path) -> None:
    told = entry(TELEGRAM_USER_ID="42, 43", USER_TIMEZONE="Asia/Singapore", TELLONCE_DATA_DIR=str(tmp_path))
    assert told["env"] == {
        "TELLONCE_DATA_DIR": str(tmp_path),
        "TELEGRAM_USER_ID": "42,43",
        "USER_TIMEZONE": "Asia/Singapore",
    }


def test_a_host_gets_a_placeholder_for_a_secret() -> None:
    told = entry(DATABASE_URL="postgresql://ann:hunter2@db/memory")
    assert "DATABASE_URL" in str(told["env"])
    assert "hunter2" not in str(told)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:7"),
        ("::1", "http://[::1]:7"),
        ("0.0.0.0", "http://127.0.0.1:7"),
        ("::", "http://[::1]:7"),
        ("192.168.1.5", "http://192.168.1.5:7"),
    ],
)
def test_the_servers_address_is_one_a_url_can_begin_with(host: str, url: str) -> None:
    settings = ServerSettings.model_validate({"_env_file": None, "host": host, "port": 7})
    assert address(settings) == url
    assert url.removeprefix("http://") in [
        name.replace(":*", ":7") for name in transport_security(settings).allowed_hosts
    ]


def test_no_address_is_not_a_name_the_server_answers_to() -> None:
    names = transport_security(ServerSettings.model_validate({"_env_file": None, "host": "0.0.0.0"})).allowed_hosts
    assert names
    assert not any("0.0.0.0" in name for name in names)


@pytest.mark.parametrize(
    ("prefix", "lasts"),
    [
        ("/home/ann/.cache/uv/archive-v0/zzKVt8F2n", False),
        ("/home/ann/.cache/pipx/9e44ff821349afc", False),
        ("/Users/ann/Library/Caches/pipx/9e44ff821349afc", False),
        ("/home/ann/.local/share/uv/tools/tellonce", True),
        ("/home/ann/.local/share/pipx/venvs/tellonce", True),
        ("/home/ann/tellonce/.venv", True),
    ],
)
def test_a_path_in_a_cache_is_written_into_no_file(
    prefix: str, lasts: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.prefix", prefix)
    refused = nullcontext() if lasts else pytest.raises(CommandFailed, match="uv tool install tellonce")
    with refused:
        connect.run(ClientName.CURSOR, only_print=False, undo=False)
    assert (tmp_path / ".cursor" / "mcp.json").exists() is lasts
