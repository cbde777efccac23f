"""The user-wide configuration files of MCP clients: the path of each file, and the form of our entry in it. Pure."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import tomlkit

from tellonce_cli import commented_json
from tellonce_cli.hosts import ClientName

ENTRY = "memory"
"""The name under which clients list our server."""

PLUGIN = "tellonce"
"""The name of our plugin for Claude Code."""

OUR_ARGUMENTS = ["serve", "--stdio"]
"""The last words of the command in our entry."""

Command = Mapping[str, Any]
"""`command`, `args` and, if variables are set, `env`: the form that most clients share."""


class UnreadableConfig(Exception):
    """The configuration file does not have the format that its client writes; the exception text says what is wrong."""


@dataclass(frozen=True)
class Machine:
    """What determines the path of a file: `sys.platform`, the home folder and the environment variables."""

    system: str
    home: Path
    environment: Mapping[str, str]

    @property
    def app_data(self) -> Path:
        """The folder of per-user application settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environment.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True)
class Client:
    """One client: its file, the key of the server list in it, the form of an entry, and the user's next step."""

    title: str
    file: Callable[[Machine], Path]
    key: str
    entry: Callable[[Command], dict[str, Any]]
    after: str


def _plain(command: Command) -> dict[str, Any]:
    return dict(command)


def _typed(command: Command) -> dict[str, Any]:
    return {"type": "stdio", **command}


def _opencode(command: Command) -> dict[str, Any]:
    environment = {"environment": command["env"]} if "env" in command else {}
    return {"type": "local", "command": [command["command"], *command["args"]], "enabled": True, **environment}


def _in_home(path: str) -> Callable[[Machine], Path]:
    return lambda machine: machine.home / PurePosixPath(path)


def _codex(machine: Machine) -> Path:
    return Path(machine.environment.get("CODEX_HOME") or machine.home / ".codex") / "config.toml"


def _opencode_file(machine: Machine) -> Path:
    """opencode reads both files. The one for comments is chosen only if it is the only one."""
    base = Path(machine.environment.get("XDG_CONFIG_HOME") or machine.home / ".config")
    plain, commented = (base / "opencode" / name for name in ("opencode.json", "opencode.jsonc"))
    return commented if commented.exists() and not plain.exists() else plain


CLIENTS: Mapping[ClientName, Client] = {
    ClientName.CLAUDE_DESKTOP: Client(
        "Claude Desktop",
        lambda machine: machine.app_data / "Claude" / "claude_desktop_config.json",
        "mcpServers",
        _plain,
        "Quit Claude Desktop completely and open it again.",
    ),
    ClientName.CLAUDE_CODE: Client(
        "Claude Code",
        _in_home(".claude.json"),
        "mcpServers",
        _typed,
        "Start a new Claude Code session. Messages are recorded only if the model calls the tool; the plugin records "
        "every prompt and reply (docs/clients/claude-code.md).",
    ),
    ClientName.CODEX: Client("Codex", _codex, "mcp_servers", _plain, "Start a new Codex session."),
    ClientName.GEMINI: Client(
        "Gemini CLI", _in_home(".gemini/settings.json"), "mcpServers", _plain, "Start a new Gemini session."
    ),
    ClientName.OPENCODE: Client("opencode", _opencode_file, "mcp", _opencode, "Start opencode again."),
    ClientName.VSCODE: Client(
        "VS Code",
        lambda machine: machine.app_data / "Code" / "User" / "mcp.json",
        "servers",
        _typed,
        "Run “MCP: List Servers” in VS Code and start the server.",
    ),
    ClientName.CURSOR: Client(
        "Cursor", _in_home(".cursor/mcp.json"), "mcpServers", _plain, "Open Cursor's MCP settings and enable it."
    ),
}


def with_entry(client: Client, file: Path, text: str, command: Command) -> str:
    """The text of the file with our entry added; all else stays, with its comments. Raises UnreadableConfig."""
    _servers(client, file, _parsed(file, text))
    return _with(client, file, text, client.entry(command))


def without_entry(client: Client, file: Path, text: str, former: str | None) -> str | None:
    """The text of the file without our entry, or with the entry of our name in `former`, the original text. None if
    nothing is left. Raises UnreadableConfig."""
    document = _parsed(file, text)
    before = _parsed(file, former) if former is not None else {}
    had_servers = client.key in before
    if ENTRY in _servers(client, file, before):
        left = _with(client, file, text, before[client.key][ENTRY])
    else:
        left = _without(client, file, text)
    empty = set(_servers(client, file, document)) <= {ENTRY}
    if former is None:
        return None if empty and set(document) == {client.key} else left
    if empty and not had_servers and not _is_toml(file):
        left = commented_json.without_table(left, client.key)
    return former if _differ_in_space_alone(file, former, left) else left


def _differ_in_space_alone(file: Path, one: str, other: str) -> bool:
    """Whether two texts have the same values and comments. Adding and removing a table leaves white space."""
    same_letters = "".join(one.split()) == "".join(other.split())
    return same_letters and _parsed(file, one) == _parsed(file, other)


def has_entry(client: Client, file: Path, text: str) -> bool:
    """Whether the entry with our name starts our server or contains its URL. Raises UnreadableConfig."""
    entry = _servers(client, file, _parsed(file, text)).get(ENTRY)
    return isinstance(entry, dict) and _is_ours(entry)


def has_other_entry(client: Client, file: Path, text: str) -> bool:
    """Whether the file has an entry with our name that belongs to another program. Raises UnreadableConfig."""
    return ENTRY in _servers(client, file, _parsed(file, text)) and not has_entry(client, file, text)


def _is_ours(entry: Mapping[str, Any]) -> bool:
    command = entry.get("command") or []
    words = [*(command if isinstance(command, list) else [command]), *entry.get("args", [])]
    return words[-2:] == OUR_ARGUMENTS or str(entry.get("url", "")).endswith("/mcp")


def program_of(client: Client, file: Path, text: str) -> str | None:
    """The program that our entry starts; None without an entry, or if it has a URL. Raises UnreadableConfig."""
    entry = _servers(client, file, _parsed(file, text)).get(ENTRY)
    command = entry.get("command") if isinstance(entry, dict) else None
    return str(command[0] if isinstance(command, list) else command) if command else None


def _servers(client: Client, file: Path, document: Any) -> Any:
    servers = document.setdefault(client.key, tomlkit.table() if _is_toml(file) else {})
    if not isinstance(servers, dict):
        raise UnreadableConfig(f"{client.key} in {file} is not a table of servers")
    return servers


def _is_toml(file: Path) -> bool:
    return file.suffix == ".toml"


def _parsed(file: Path, text: str) -> Any:
    try:
        document = tomlkit.parse(text) if _is_toml(file) else commented_json.read(text)
    except ValueError as error:  # tomlkit and json raise subclasses of ValueError.
        raise UnreadableConfig(f"{file} cannot be read ({error})") from error
    if not isinstance(document, dict):
        raise UnreadableConfig(f"{file} does not hold a table of settings")
    return document


def _with(client: Client, file: Path, text: str, entry: Any) -> str:
    if not _is_toml(file):
        return commented_json.with_member(text, client.key, ENTRY, entry)
    document = _parsed(file, text)
    _servers(client, file, document)[ENTRY] = entry
    return tomlkit.dumps(document)


def _without(client: Client, file: Path, text: str) -> str:
    if not _is_toml(file):
        return commented_json.without_member(text, client.key, ENTRY)
    document = _parsed(file, text)
    _servers(client, file, document).pop(ENTRY, None)
    return tomlkit.dumps(document)


def has_plugin(machine: Machine) -> bool:
    """Whether Claude Code has our plugin installed and enabled. The plugin starts the server, so no entry is needed."""
    folder = Path(machine.environment.get("CLAUDE_CONFIG_DIR") or machine.home / ".claude")
    try:
        enabled = json.loads((folder / "settings.json").read_text("utf-8"))["enabledPlugins"]
        return any(on and name.partition("@")[0] == PLUGIN for name, on in enabled.items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
