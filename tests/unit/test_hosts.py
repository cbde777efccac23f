"""What `up` tells a person to put into a host."""

from pathlib import Path

import pytest

from chatmem.settings import ServerSettings, load
from chatmem_cli.hosts import address, desktop_snippet


def entry(**environment: str) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CHATMEM_DATA_DIR", "DATABASE_URL", "TELEGRAM_USER_ID", "USER_TIMEZONE"):
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        snippet: dict[str, object] = desktop_snippet(load(ServerSettings, _env_file=None))["mcpServers"]["memory"]
    return snippet


def test_a_host_is_told_nothing_where_nothing_was_set() -> None:
    assert "env" not in entry()


def test_a_host_is_told_whose_memory_it_is_where_and_in_which_zone(tmp_path: Path) -> None:
    told = entry(TELEGRAM_USER_ID="42, 43", USER_TIMEZONE="Asia/Singapore", CHATMEM_DATA_DIR=str(tmp_path))
    assert told["env"] == {
        "CHATMEM_DATA_DIR": str(tmp_path),
        "TELEGRAM_USER_ID": "42,43",
        "USER_TIMEZONE": "Asia/Singapore",
    }


def test_a_host_is_told_that_there_is_a_secret_but_not_which() -> None:
    told = entry(DATABASE_URL="postgresql://ann:hunter2@db/memory")
    assert "DATABASE_URL" in str(told["env"])
    assert "hunter2" not in str(told)


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:7"), ("::1", "http://[::1]:7")])
def test_the_servers_address_is_one_a_url_can_begin_with(host: str, url: str) -> None:
    assert address(ServerSettings.model_validate({"_env_file": None, "host": host, "port": 7})) == url
