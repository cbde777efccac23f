"""A command for this machine's memory refuses settings that name another memory."""

import asyncio
from pathlib import Path

import pytest

from tellonce_cli import backup, export, restore, tokens
from tellonce_cli.memory import chat_of, local_settings
from tellonce_cli.screen import CommandFailed


@pytest.fixture
def tokens_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the tokens of this machine's server."""
    monkeypatch.chdir(tmp_path)
    for name in ("TELLONCE_URL", "TELLONCE_TOKEN", "TELLONCE_PORT", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TELLONCE_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "data" / "tokens"
    folder.mkdir(parents=True)
    (folder / "assistant").write_text("ours\n")
    return folder


def test_the_token_of_another_person_is_not_ignored(tokens_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELLONCE_TOKEN", "theirs")
    for command in (
        lambda: export.run(Path("mine")),
        lambda: backup.run(Path("all.zip")),
        lambda: restore.run(Path("all.zip")),
        lambda: tokens.run("list"),
    ):
        with pytest.raises(CommandFailed, match="TELLONCE_TOKEN is set"):
            asyncio.run(command())
    monkeypatch.setenv("TELLONCE_TOKEN", "ours")
    assert local_settings().data_dir == tokens_folder.parent


def test_a_command_that_uses_no_token_does_not_read_the_tokens(tokens_folder: Path) -> None:
    """The tokens can be unreadable: they are damaged, or they belong to the account that runs the server."""
    (tokens_folder / "assistant").write_bytes(b"\xff")
    assert local_settings().data_dir == tokens_folder.parent


def test_a_server_elsewhere_is_not_ignored(tokens_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELLONCE_URL", "https://memory.example.org/mcp")
    with pytest.raises(CommandFailed, match=r"names the server memory\.example\.org"):
        local_settings()
    monkeypatch.setenv("TELLONCE_ALLOWED_HOSTS", "memory.example.org")
    assert local_settings().data_dir == tokens_folder.parent


def test_without_a_memory_there_is_nothing_to_export(tokens_folder: Path) -> None:
    with pytest.raises(CommandFailed, match="there is no memory in"):
        asyncio.run(export.run(Path("mine")))
    assert not (tokens_folder.parent / "postgres").exists()


def test_a_group_that_is_not_served_is_refused_with_the_line_to_add(
    tokens_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TELEGRAM_GROUPS", raising=False)
    with pytest.raises(CommandFailed, match=r"TELEGRAM_GROUPS=-10077 into \.env"):
        chat_of(local_settings(), -10077)
    monkeypatch.setenv("TELEGRAM_GROUPS", "-10077")
    assert chat_of(local_settings(), -10077).owner_id == -10077
