"""`tellonce connect` in empty homes and in homes with existing configurations, for every client and operating
system."""

import asyncio
import codecs
import functools
import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellonce.client_settings import RelaySettings
from tellonce.settings import ServerSettings, load
from tellonce_cli import claude_plugin, commented_json, connect, doctor
from tellonce_cli.client_configs import CLIENTS, WSL_NAME, Machine
from tellonce_cli.hosts import ClientName
from tellonce_cli.screen import CommandFailed
from tests.depth import depth

ROOT = Path(__file__).parents[2]
SYSTEMS = ("linux", "darwin", "win32")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home without any settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    chosen = ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "APPDATA", WSL_NAME)
    places = ("XDG_DATA_HOME", "TELLONCE_DATA_DIR", "TELLONCE_PORT", "TELLONCE_HOST")
    for name in (*chosen, *places, "DATABASE_URL", "TELEGRAM_USER_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("USER_TIMEZONE", "Asia/Singapore")
    return tmp_path


def file_of(name: ClientName) -> Path:
    return CLIENTS[name].file(connect.this_machine())


def read(file: Path) -> dict[str, Any]:
    text = file.read_text("utf-8")
    loaded: dict[str, Any] = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    return loaded


def entry(name: ClientName) -> dict[str, Any]:
    found: dict[str, Any] = read(file_of(name))[CLIENTS[name].key]["memory"]
    return found


def joined(name: ClientName, **options: bool) -> None:
    connect.run(name, **{"only_print": False, "undo": False, **options})


@pytest.mark.parametrize("name", list(ClientName))
def test_every_client_gets_the_command_and_the_owner_of_the_memory(home: Path, name: ClientName) -> None:
    joined(name)
    told = entry(name)
    command = told["command"] if isinstance(told["command"], list) else [told["command"], *told["args"]]
    assert Path(command[0]).is_absolute()
    assert command[-2:] == ["serve", "--stdio"]
    assert told.get("env", told.get("environment")) == {"USER_TIMEZONE": "Asia/Singapore"}
    assert file_of(name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", list(ClientName))
def test_what_was_there_stays_and_comes_back(home: Path, name: ClientName) -> None:
    file = file_of(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    key = CLIENTS[name].key
    before = f'# mine\ntheme = "dark"\n\n[{key}.other]\ncommand = "x"\n'
    if file.suffix != ".toml":
        before = json.dumps({"theme": "dark", key: {"other": {"command": "x"}}}, indent=2) + "\n"
    file.write_text(before)
    joined(name)
    joined(name)
    assert read(file)["theme"] == "dark"
    assert set(read(file)[key]) == {"other", "memory"}
    joined(name, undo=True)
    assert file.read_text() == before
    assert list(file.parent.glob(file.name + "*")) == [file]


@pytest.mark.parametrize("name", list(ClientName))
def test_undo_leaves_an_empty_home_empty(home: Path, name: ClientName) -> None:
    joined(name)
    joined(name)
    joined(name, undo=True)
    assert not file_of(name).exists()


def test_what_was_changed_since_survives_undo(home: Path) -> None:
    joined(ClientName.CURSOR)
    file = file_of(ClientName.CURSOR)
    file.write_text(json.dumps(read(file) | {"later": 1}))
    joined(ClientName.CURSOR, undo=True)
    assert read(file) == {"later": 1}


def test_an_entry_of_the_same_name_comes_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(ClientName.GEMINI)
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"memory": {"command": "another"}}}))
    joined(ClientName.GEMINI)
    assert entry(ClientName.GEMINI)["command"] != "another"
    joined(ClientName.GEMINI, undo=True)
    assert entry(ClientName.GEMINI) == {"command": "another"}
    printed = capsys.readouterr().out
    assert "replaces another server called `memory`" in printed
    assert "DATABASE_URL" not in printed
    assert connect.connected(connect.this_machine()) == {ClientName.GEMINI: False}, "the name alone proves nothing"
    with pytest.raises(CommandFailed, match="Nothing to undo"):
        joined(ClientName.GEMINI, undo=True)


def test_an_entry_without_arguments_is_read(home: Path) -> None:
    file = file_of(ClientName.GEMINI)
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"memory": {"command": "another", "args": None}}}))
    assert connect.connected(connect.this_machine()) == {ClientName.GEMINI: False}


@pytest.mark.parametrize(
    ("url", "ours"),
    [
        ({"url": "http://127.0.0.1:8765/mcp"}, True),
        ({"httpUrl": "http://localhost:8765/mcp"}, True),
        ({"url": "https://memory.example.com/mcp"}, False),
        ({"url": "http://[::1/mcp"}, False),
    ],
)
def test_an_entry_with_a_url_comes_back_and_is_ours_only_on_this_machine(
    home: Path, url: dict[str, str], ours: bool
) -> None:
    file = file_of(ClientName.GEMINI)
    file.parent.mkdir()
    file.write_text(before := json.dumps({"mcpServers": {"memory": {**url, "headers": {"Authorization": "x"}}}}))
    assert connect.connected(connect.this_machine()) == {ClientName.GEMINI: ours}
    if not ours:
        with pytest.raises(CommandFailed, match="Nothing to undo"):
            joined(ClientName.GEMINI, undo=True)
    joined(ClientName.GEMINI)
    joined(ClientName.GEMINI, undo=True)
    assert json.loads(file.read_text()) == json.loads(before)


def plugin(home: Path, **options: str) -> Path:
    """Claude Code's settings for our plugin with these options."""
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    configs = {"tellonce@tellonce": {"options": options}}
    settings.write_text(json.dumps({"enabledPlugins": {"tellonce@tellonce": True}, "pluginConfigs": configs}))
    return settings


def test_the_plugin_needs_no_entry_of_its_own(home: Path) -> None:
    settings = plugin(home)
    assert connect.connected(connect.this_machine()) == {ClientName.CLAUDE_CODE: True}
    with pytest.raises(CommandFailed, match="plugin is installed"):
        joined(ClientName.CLAUDE_CODE)
    with pytest.raises(
        CommandFailed, match=re.escape("uninstall tellonce@tellonce && claude plugin marketplace remove")
    ):
        joined(ClientName.CLAUDE_CODE, undo=True)
    settings.write_text(json.dumps({"enabledPlugins": {"tellonce@tellonce": False}}))
    joined(ClientName.CLAUDE_CODE)


@pytest.mark.parametrize(
    ("options", "settings", "missing"),
    [
        ({}, {"TELLONCE_PORT": "18731"}, ["url=http://127.0.0.1:18731/mcp"]),
        ({"url": "http://127.0.0.1:18731/mcp"}, {}, ["url=http://127.0.0.1:8765/mcp"]),
        ({"url": "http://localhost:18731/mcp"}, {"TELLONCE_PORT": "18731"}, None),
        ({"url": "https://memory.example.org/mcp"}, {"TELLONCE_PORT": "18731"}, None),
        ({"url": "http://127.0.0.1:8765/mcp"}, {"TELLONCE_HOST": "::1"}, ["url=http://[::1]:8765/mcp"]),
        ({"data_folder": "/elsewhere"}, {}, ["data_folder={home}/.local/share/tellonce"]),
        ({"data_folder": "~/mine"}, {"TELLONCE_DATA_DIR": "{home}/mine"}, None),
        ({"data_folder": "~/old"}, {"TELLONCE_DATA_DIR": "{home}/mine"}, ["data_folder={home}/mine"]),
    ],
)
def test_a_plugin_with_another_address_gets_the_address_of_the_memory(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, str],
    settings: dict[str, str],
    missing: list[str] | None,
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value.format(home=home))
    plugin(home, **options)
    finding = asyncio.run(doctor.clients(load(ServerSettings), load(RelaySettings)))
    assert finding.ok is (missing is None)
    if missing is not None:
        words = shlex.split(finding.fix)
        assert words[:4] == ["claude", "plugin", "install", "tellonce@tellonce"]
        assert words[5::2] == [word.format(home=home) for word in missing]
        with pytest.raises(CommandFailed, match="plugin looks for"):
            joined(ClientName.CLAUDE_CODE)


def test_a_read_only_file_is_left_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(ClientName.CURSOR)
    file.parent.mkdir()
    file.write_text("{}")
    # Root can write every file. Therefore the test does not make the file read-only.
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda path, mode: False)
        with pytest.raises(CommandFailed, match=r"read-only.*what --print shows"):
            joined(ClientName.CURSOR)
    assert [(x.name, x.read_text()) for x in file.parent.iterdir()] == [(file.name, "{}")]
    joined(ClientName.CURSOR)
    written = file.read_text()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(CommandFailed, match="read-only"):
        joined(ClientName.CURSOR, undo=True)
    assert file.read_text() == written


def test_the_plugins_commands_name_the_clone_from_which_we_were_installed(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    joined(ClientName.CLAUDE_CODE)
    said = " ".join(capsys.readouterr().err.split())
    assert f"`claude plugin marketplace add {ROOT} && claude plugin install tellonce@tellonce`" in said
    origin = Mock()
    monkeypatch.setattr(claude_plugin, "installed", lambda: origin)
    light, elsewhere = ROOT / "light", {"url": "https://example.org/a.whl"}
    for told, found in ((ROOT, ROOT), (light, ROOT), (home, None), (None, None), (elsewhere, None)):
        url = {"url": told.as_uri()} if isinstance(told, Path) else told
        origin.read_text.return_value = None if url is None else json.dumps(url)
        assert claude_plugin.clone() == found


def test_codex_waits_for_the_memory(home: Path) -> None:
    joined(ClientName.CODEX)
    written = tomllib.loads(file_of(ClientName.CODEX).read_text())["mcp_servers"]["memory"]
    assert (written["required"], written["startup_timeout_sec"]) == (True, 60)
    joined(ClientName.CODEX, undo=True)
    assert not file_of(ClientName.CODEX).exists()


def test_print_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joined(ClientName.CODEX, only_print=True)
    assert "[mcp_servers.memory]" in capsys.readouterr().out
    assert not file_of(ClientName.CODEX).exists()


def test_the_own_database_is_written_to_the_file_and_never_to_a_screen(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:hunter2@db/memory")
    joined(ClientName.GEMINI, only_print=True)
    joined(ClientName.GEMINI)
    assert entry(ClientName.GEMINI)["env"]["DATABASE_URL"] == "postgresql://ann:hunter2@db/memory"
    said = capsys.readouterr().out
    assert "hunter2" not in said
    assert "The file contains your DATABASE_URL" in " ".join(said.split())


def test_a_file_in_another_encoding_is_named(home: Path) -> None:
    file = file_of(ClientName.CURSOR)
    file.parent.mkdir()
    file.write_bytes("{}".encode("utf-16"))
    said = f"{file} is not UTF-8 text"
    assert connect.connected(connect.this_machine()) == {ClientName.CURSOR: said}
    with pytest.raises(CommandFailed, match=r"is not UTF-8 text\. Nothing was changed"):
        joined(ClientName.CURSOR)


@pytest.mark.parametrize("text", ["{not json", "[]", '{"mcpServers": 5}', "{\ufeff}"])
def test_a_file_nobody_can_read_is_left_alone(home: Path, text: str) -> None:
    file = file_of(ClientName.CLAUDE_DESKTOP)
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    with pytest.raises(CommandFailed, match="Nothing was changed"):
        joined(ClientName.CLAUDE_DESKTOP)
    assert file.read_text("utf-8") == text


COMMENTED = """// My servers, 家
{
	"theme": "a // b, /* c */", /* dark */ "list": [1, 2,],
	"%s": { // mine
		"other": {"command": "x"}%s // keep, this
		/* "memory": {}, */
	}, // the end
}
"""


@pytest.mark.parametrize("comma", ["", ","])
@pytest.mark.parametrize("name", [name for name in ClientName if file_of(name).suffix != ".toml"])
def test_a_file_with_comments_stays_and_the_entry_is_printed(
    home: Path, name: ClientName, comma: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = file_of(name), COMMENTED % (CLIENTS[name].key, comma)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before, "utf-8")
    with pytest.raises(CommandFailed, match="comments or trailing commas"):
        joined(name)
    assert file.read_text("utf-8") == before
    assert list(file.parent.glob(file.name + "*")) == [file]
    printed = capsys.readouterr().out
    pasted = json.loads(printed[printed.index("{") :])[CLIENTS[name].key]["memory"]
    assert connect.connected(connect.this_machine()) == {name: False}
    with_it = before.replace('"other":', f'"memory": {json.dumps(pasted)}, "other":')
    file.write_text(with_it, "utf-8")
    assert connect.connected(connect.this_machine()) == {name: True}
    with pytest.raises(CommandFailed, match=f"remove the entry `memory` from `{CLIENTS[name].key}` by hand"):
        joined(name, undo=True)
    assert file.read_text("utf-8") == with_it
    # An earlier release edited such files and kept a copy.
    connect._backup(file).write_text(before, "utf-8")
    joined(name, undo=True)
    assert file.read_text("utf-8") == before


def test_a_comment_written_since_survives_undo(home: Path) -> None:
    file = file_of(ClientName.CODEX)
    file.parent.mkdir(parents=True)
    file.write_text('# mine\ntheme = "dark"\n')
    joined(ClientName.CODEX)
    file.write_text(file.read_text().replace("# mine", "# still mine"))
    joined(ClientName.CODEX, undo=True)
    assert "# still mine" in file.read_text()


@pytest.mark.parametrize("indent", ["\t", "    ", "   "])
def test_a_file_keeps_its_indent_and_undo_restores_every_byte(home: Path, indent: str) -> None:
    file = file_of(ClientName.CURSOR)
    file.parent.mkdir()
    file.write_bytes(before := f'{{\n{indent}"list": [1, 2],\r\n "half": "\\ud83d", "ä": "\\u00e4"}}'.encode())
    joined(ClientName.CURSOR)
    assert read(file)["half"] == "\ud83d"
    assert f'\n{indent}"list"' in file.read_text("utf-8")
    joined(ClientName.CURSOR, undo=True)
    assert file.read_bytes() == before


OBJECT = functools.partial(st.dictionaries, st.sampled_from(["a", "memory", 'ä "\\', "// no", "{,}"]), max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda each: st.lists(each, max_size=3) | OBJECT(each, max_size=3),
    max_leaves=6,
)
NOISE = st.sampled_from(["", " ", "\n", "\n\t", "/* {, */", "// }\n", "/**/ "])


def noisy(value: Any, draw: Callable[[st.SearchStrategy[str]], str]) -> str:
    """The value as JSON with white space and comments between its tokens."""
    noise = functools.partial(draw, NOISE)
    if isinstance(value, dict):
        parts = [f"{noise()}{json.dumps(key)}{noise()}:{noise()}{noisy(each, draw)}" for key, each in value.items()]
        return "{" + f"{noise()},".join(parts) + (draw(st.sampled_from(["", ","])) if parts else "") + noise() + "}"
    if isinstance(value, list):
        parts = [noise() + noisy(each, draw) for each in value]
        return "[" + f"{noise()},".join(parts) + (draw(st.sampled_from(["", ","])) if parts else "") + noise() + "]"
    return json.dumps(value)


@settings(max_examples=depth(25, 300))
@given(st.data(), OBJECT(OBJECT(JSON)))
def test_any_commented_json_is_read_and_any_json_is_written(data: st.DataObject, document: dict[str, Any]) -> None:
    text = data.draw(NOISE) + noisy(document, data.draw) + data.draw(NOISE)
    assert commented_json.read(text) == document
    written = commented_json.written(document, text)
    assert (commented_json.is_strict(written), commented_json.read(written)) == (True, document)


@pytest.mark.parametrize("name", list(ClientName))
def test_a_file_written_on_windows_keeps_its_mark_and_its_line_ends(home: Path, name: ClientName) -> None:
    file = file_of(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = '# mine\r\ntheme = "dark"\r\n' if file.suffix == ".toml" else '{\r\n  "theme": "dark"\r\n}\r\n'
    file.write_bytes(before := codecs.BOM_UTF8 + text.encode())
    joined(name)
    written = file.read_bytes()
    assert (written.count(codecs.BOM_UTF8), written.startswith(codecs.BOM_UTF8)) == (1, True)
    assert written.count(b"\r\n") == written.count(b"\n") > before.count(b"\n")
    assert connect.connected(connect.this_machine()) == {name: True}
    joined(name, undo=True)
    assert file.read_bytes() == before


WINDOWS = "USERPROFILE=C:\\Users\\Zoë R&D\r\nAPPDATA=D:\\Roaming\r\n"


@pytest.fixture
def wsl(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder with substitutes for the programs that WSL uses to query Windows."""
    programs = home / "bin"
    programs.mkdir()
    (programs / "set.txt").write_bytes(WINDOWS.encode("utf-16-le"))
    answers = {"cmd.exe": f"cat '{programs}/set.txt'", "wslpath": f"echo '{home}/mnt/'\"$(echo $2 | cut -c 1)\""}
    for name, line in answers.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv(WSL_NAME, "Debian")
    connect.windows_account.cache_clear()
    yield programs
    connect.windows_account.cache_clear()


def test_under_wsl_a_desktop_program_is_connected_on_the_windows_side(home: Path, wsl: Path) -> None:
    joined(ClientName.CLAUDE_DESKTOP)
    joined(ClientName.CURSOR)
    joined(ClientName.CODEX)
    assert file_of(ClientName.CLAUDE_DESKTOP) == home / "mnt/D/Claude/claude_desktop_config.json"
    assert file_of(ClientName.CURSOR) == home / "mnt/C/.cursor/mcp.json"
    told = entry(ClientName.CLAUDE_DESKTOP)
    assert (told["command"], told["args"][:3], told["args"][-2:]) == (
        "wsl.exe",
        ["-d", "Debian", "--exec"],
        ["serve", "--stdio"],
    )
    assert Path(told["args"][3]).exists()
    assert told["env"] == {"USER_TIMEZONE": "Asia/Singapore", "WSLENV": "USER_TIMEZONE"}
    assert Path(entry(ClientName.CODEX)["command"]).is_absolute()
    joined_ones = dict.fromkeys((ClientName.CLAUDE_DESKTOP, ClientName.CURSOR, ClientName.CODEX), True)
    assert connect.connected(connect.this_machine()) == joined_ones
    joined(ClientName.CURSOR, undo=True)
    assert not file_of(ClientName.CURSOR).exists()


def test_if_windows_does_not_answer_the_linux_program_is_connected(
    home: Path, wsl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (wsl / "cmd.exe").write_text("#!/bin/sh\nexit 1\n")
    joined(ClientName.CURSOR)
    assert file_of(ClientName.CURSOR) == home / ".cursor/mcp.json"
    assert Path(entry(ClientName.CURSOR)["command"]).is_absolute()
    assert "the file of Cursor for Linux, not for Windows" in " ".join(capsys.readouterr().out.split())


def test_a_link_to_a_file_elsewhere_stays_a_link(home: Path) -> None:
    file, kept = file_of(ClientName.CURSOR), home / "dotfiles.json"
    kept.write_text('{"theme": "dark"}')
    file.parent.mkdir()
    file.symlink_to(kept)
    joined(ClientName.CURSOR)
    assert set(read(kept)) == {"theme", "mcpServers"}
    joined(ClientName.CURSOR, undo=True)
    assert (file.is_symlink(), read(kept)) == (True, {"theme": "dark"})


def test_an_entry_whose_program_is_gone_is_no_connection(home: Path) -> None:
    file = file_of(ClientName.OPENCODE)
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcp": {"memory": {"command": ["/gone/tellonce", "serve", "--stdio"]}}}))
    assert connect.connected(connect.this_machine()) == {
        ClientName.OPENCODE: "opencode starts /gone/tellonce, which does not exist"
    }


def test_undo_without_connect_says_so(home: Path) -> None:
    with pytest.raises(CommandFailed, match="Nothing to undo"):
        joined(ClientName.VSCODE, undo=True)


def test_doctor_knows_who_is_connected(home: Path) -> None:
    joined(ClientName.CODEX)
    file_of(ClientName.CURSOR).parent.mkdir()
    file_of(ClientName.CURSOR).write_text("{}")
    assert connect.connected(connect.this_machine()) == {ClientName.CODEX: True, ClientName.CURSOR: False}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", list(ClientName))
def test_every_system_has_a_place_in_the_users_home(system: str, name: ClientName) -> None:
    home = Path("/home/ann")
    assert home in CLIENTS[name].file(Machine(system, home, {})).parents


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
def test_the_places_the_systems_documents_name() -> None:
    home = Path("/home/ann")

    def place(name: ClientName, system: str, **environment: str) -> str:
        return str(CLIENTS[name].file(Machine(system, home, environment)))

    desktop, code = ClientName.CLAUDE_DESKTOP, ClientName.VSCODE
    assert place(desktop, "darwin") == "/home/ann/Library/Application Support/Claude/claude_desktop_config.json"
    assert place(desktop, "win32", APPDATA="/roaming") == "/roaming/Claude/claude_desktop_config.json"
    assert place(code, "linux") == "/home/ann/.config/Code/User/mcp.json"
    assert place(ClientName.CODEX, "linux", CODEX_HOME="/c") == "/c/config.toml"
    assert place(ClientName.CLAUDE_CODE, "linux") == "/home/ann/.claude.json"
    assert place(ClientName.CLAUDE_CODE, "linux", CLAUDE_CONFIG_DIR="/second") == "/second/.claude.json"
    assert place(ClientName.GEMINI, "linux", GEMINI_CLI_HOME="/second") == "/second/.gemini/settings.json"
