"""The user-wide configuration files of MCP clients: the path of each file, and the form of our entry in it. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomlkit

from tellonce_cli import commented_json
from tellonce_cli.hosts import ClientName

ENTRY = "memory"
"""The name of our server in the configurations of clients."""

OUR_ARGUMENTS = ["serve", "--stdio"]
"""The last words of the command in our entry."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of this machine in a URL."""

WSL_NAME = "WSL_DISTRO_NAME"
"""The environment variable with the name of the WSL distribution. It is set only in WSL."""

THROUGH_WSL = "--exec"
"""The option of wsl.exe that is followed by the program to start without a shell."""

CODEX_SECONDS = 60
"""Maximum seconds that Codex waits for our server; Codex does not start if the server takes longer."""

Command = Mapping[str, Any]
"""A command in the form that most clients share: `command`, `args` and, if variables are set, `env`."""


class UnreadableConfig(Exception):
    """The configuration file does not have the format that its client writes; the exception text says what is wrong."""


@dataclass(frozen=True)
class Machine:
    """The values that determine the path of a file: `sys.platform`, the home folder and the environment variables."""

    system: str
    home: Path
    environment: Mapping[str, str]
    windows: "Machine | None" = None
    """Under WSL, the Windows account to which the folders of Windows programs belong. The account's paths are written
    as Linux sees them."""

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
    """One client. `place` returns the client's configuration file, `key` is the name of the list of servers in this
    file, and `entry` returns our entry for the list. `after` is the user's next step; `{plugin}` in it stands for the
    commands that install our plugin. A program with `on_desktop` runs on Windows if we run in WSL."""

    title: str
    place: Callable[[Machine], Path]
    key: str
    entry: Callable[[Command], dict[str, Any]]
    after: str
    on_desktop: bool = False

    def file(self, machine: Machine) -> Path:
        """The user-wide configuration file on this machine."""
        return self.place(machine.windows if self.on_desktop and machine.windows else machine)

    def command(self, machine: Machine, command: Command) -> Command:
        """The command as the client must start it."""
        return _through_wsl(command, machine) if self.on_desktop and machine.windows else command


def _through_wsl(command: Command, machine: Machine) -> Command:
    """The command as a Windows program starts it. WSLENV names the variables that wsl.exe passes to the command."""
    told = command.get("env", {})
    passed = {"env": {**told, "WSLENV": ":".join(told)}} if told else {}
    where = ["-d", machine.environment[WSL_NAME], THROUGH_WSL]
    return {"command": "wsl.exe", "args": [*where, command["command"], *command["args"]], **passed}


def _plain(command: Command) -> dict[str, Any]:
    return dict(command)


def _typed(command: Command) -> dict[str, Any]:
    return {"type": "stdio", **command}


def _awaited(command: Command) -> dict[str, Any]:
    """The entry for Codex. Codex waits at its start until a required server is ready; otherwise the requests of `codex
    exec` are sent without our tools."""
    program = {"command": command["command"], "args": command["args"]}
    return {**program, "required": True, "startup_timeout_sec": CODEX_SECONDS, **command}


def _opencode(command: Command) -> dict[str, Any]:
    environment = {"environment": command["env"]} if "env" in command else {}
    return {"type": "local", "command": [command["command"], *command["args"]], "enabled": True, **environment}


def _claude_code(machine: Machine) -> Path:
    """The file of Claude Code. With CLAUDE_CONFIG_DIR, each account may have its own file."""
    return Path(machine.environment.get("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"


def _gemini(machine: Machine) -> Path:
    return Path(machine.environment.get("GEMINI_CLI_HOME") or machine.home) / ".gemini" / "settings.json"


def _codex(machine: Machine) -> Path:
    return Path(machine.environment.get("CODEX_HOME") or machine.home / ".codex") / "config.toml"


def _opencode_file(machine: Machine) -> Path:
    """The file of opencode. opencode reads both `opencode.json` and `opencode.jsonc`. The second file is chosen only if
    it exists and the first does not."""
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
        on_desktop=True,
    ),
    ClientName.CLAUDE_CODE: Client(
        "Claude Code",
        _claude_code,
        "mcpServers",
        _typed,
        "Start a new Claude Code session. Messages are recorded only if the model calls the tool; the plugin records "
        "every prompt and reply (docs/clients/claude-code.md; install it with `{plugin}`).",
    ),
    ClientName.CODEX: Client("Codex", _codex, "mcp_servers", _awaited, "Start a new Codex session."),
    ClientName.GEMINI: Client("Gemini CLI", _gemini, "mcpServers", _plain, "Start a new Gemini session."),
    ClientName.OPENCODE: Client("opencode", _opencode_file, "mcp", _opencode, "Start opencode again."),
    ClientName.VSCODE: Client(
        "VS Code",
        lambda machine: machine.app_data / "Code" / "User" / "mcp.json",
        "servers",
        _typed,
        "Run “MCP: List Servers” in VS Code and start the server.",
        on_desktop=True,
    ),
    ClientName.CURSOR: Client(
        "Cursor",
        lambda machine: machine.home / ".cursor" / "mcp.json",
        "mcpServers",
        _plain,
        "Open Cursor's MCP settings and enable it.",
        on_desktop=True,
    ),
}


def with_entry(client: Client, file: Path, text: str, command: Command) -> str:
    """The text of the file with our entry added. Everything else stays unchanged, including comments. Raises
    UnreadableConfig."""
    _servers(client, file, _parsed(file, text))
    return _with(client, file, text, client.entry(command))


def without_entry(client: Client, file: Path, text: str, former: str | None) -> str | None:
    """The text of the file without our entry. `former` is the original text; if it contains an entry with our name,
    this entry is restored. None if nothing is left. Raises UnreadableConfig."""
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
    """Whether two texts differ only in white space. Such a difference remains after a table was added and removed
    again."""
    same_letters = "".join(one.split()) == "".join(other.split())
    return same_letters and _parsed(file, one) == _parsed(file, other)


def has_entry(client: Client, file: Path, text: str) -> bool:
    """Whether the entry with our name starts our server or contains its local URL. Raises UnreadableConfig."""
    entry = _servers(client, file, _parsed(file, text)).get(ENTRY)
    return isinstance(entry, dict) and _is_ours(entry)


def has_other_entry(client: Client, file: Path, text: str) -> bool:
    """Whether the file has an entry with our name that belongs to another program. Raises UnreadableConfig."""
    return ENTRY in _servers(client, file, _parsed(file, text)) and not has_entry(client, file, text)


def has_command(client: Client, file: Path, text: str) -> bool:
    """Whether the entry with our name starts our server, as the entries that we write do. Raises UnreadableConfig."""
    entry = _servers(client, file, _parsed(file, text)).get(ENTRY)
    return isinstance(entry, dict) and _words(entry)[-2:] == OUR_ARGUMENTS


def _is_ours(entry: Mapping[str, Any]) -> bool:
    """An entry with a URL is ours only if the URL is on this machine, because the URLs of hosted memories also end in
    `/mcp`."""
    if _words(entry)[-2:] == OUR_ARGUMENTS:
        return True
    try:
        url = urlsplit(str(entry.get("url") or entry.get("httpUrl") or ""))
        return url.path == "/mcp" and url.hostname in LOOPBACK
    except ValueError:
        return False


def _words(entry: Mapping[str, Any]) -> list[str]:
    """The program of an entry and its arguments."""
    command = entry.get("command") or []
    words = [*(command if isinstance(command, list) else [command]), *entry.get("args", [])]
    return [str(word) for word in words]


def program_of(client: Client, file: Path, text: str) -> str | None:
    """The program on this machine that our entry starts; None if there is no entry, or if the entry has a URL. Raises
    UnreadableConfig."""
    entry = _servers(client, file, _parsed(file, text)).get(ENTRY)
    words = _words(entry) if isinstance(entry, dict) else []
    return next(iter(words[words.index(THROUGH_WSL) + 1 :] if THROUGH_WSL in words else words), None)


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
