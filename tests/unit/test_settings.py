"""There are few settings, all of them are documented, and an error names a wrong value."""

import os
from pathlib import Path

import pytest

from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.settings import ServerSettings, SettingsError, load


@pytest.fixture(autouse=True)
def _no_dotenv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ignore a `.env` in the folder where the tests are started."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", [ServerSettings, SummarizerSettings, RelaySettings])
def test_a_process_has_at_most_27_settings_and_each_is_explained(kind: type[ServerSettings]) -> None:
    fields = kind.model_fields
    assert len(fields) <= 27
    assert all(field.description or field.default is not None for field in fields.values())


def test_an_env_file_that_another_user_may_have_written_is_refused(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("TELLONCE_PORT=7\n")
    assert load(ServerSettings).port == 7
    file.chmod(0o666)
    with pytest.raises(SettingsError, match=r"\.env may be another user's"):
        load(ServerSettings)
    file.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(file, 4242, -1)
        with pytest.raises(SettingsError, match=r"\.env may be another user's"):
            load(ServerSettings)


def test_a_wrong_value_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELLONCE_PORT", "many")
    monkeypatch.setenv("USER_TIMEZONE", "Mars/Olympus")
    with pytest.raises(SettingsError) as caught:
        load(ServerSettings)
    assert all(part in str(caught.value) for part in ("TELLONCE_PORT", "USER_TIMEZONE", "Asia/Singapore"))


def test_the_clients_follow_the_server_to_another_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TELLONCE_URL", raising=False)
    monkeypatch.setenv("TELLONCE_PORT", "9000")
    assert load(RelaySettings).url == "http://127.0.0.1:9000/mcp"
    monkeypatch.setenv("TELLONCE_URL", "https://memory.example.org/mcp")
    assert load(SummarizerSettings).url == "https://memory.example.org/mcp"
    monkeypatch.setenv("TELLONCE_URL", "memory.example.org")
    with pytest.raises(SettingsError, match=r"TELLONCE_URL: 'memory.example.org' is neither an address"):
        load(RelaySettings)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("TELEGRAM_USER_ID", "42, @ann", r"TELEGRAM_USER_ID: '@ann' is not an id; ids are numbers"),
        ("TELEGRAM_USER_ID", "-100123", r"TELEGRAM_USER_ID: the id of a person is positive"),
        ("TELEGRAM_GROUPS", "-100 1001234567890", r"TELEGRAM_GROUPS: the id of a group is negative"),
        ("TELEGRAM_PERSONAL_GROUPS", "7", r"TELEGRAM_PERSONAL_GROUPS: the id of a group is negative"),
    ],
)
def test_an_invalid_id_is_reported_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=sentence):
        load(RelaySettings)


def test_a_folder_may_be_named_from_the_home_folder_where_no_shell_reads_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TELLONCE_DATA_DIR", "~/memory")
    monkeypatch.setenv("TELLONCE_CONFIG_DIR", "~/bot")
    assert load(RelaySettings).data_dir == tmp_path / "memory"
    assert load(RelaySettings).config_dir == tmp_path / "bot"


def test_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    assert "very-secret" not in repr(load(RelaySettings))


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("gpu-box", "http://gpu-box:11434"),
        ("https://gpu-box", "https://gpu-box"),
    ],
)
def test_ollamas_address_may_be_written_as_ollama_writes_it(
    monkeypatch: pytest.MonkeyPatch, written: str, address: str
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", written)
    assert load(RelaySettings).ollama_url == address
