"""The user-wide configuration files of MCP clients: the path of each file, and the form of our entry in it. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tomlkit

from tellonce_cli import commented_json
from tellonce_cli.hosts import LOOPBACK, ClientName

ENTRY = "memory"
"""The name of our server in the configurations of clients."""

OUR_ARGUMENTS = ["serve", "--stdio"]
"""The last words of the command in our entry."""

WSL_NAME = "WSL_DISTRO_NAME"
"""The environment variable with the name of the WSL distribution. It is set only in WSL."""

THROUGH_WSL = "--exec"
"""The option of wsl.exe before the program to start. wsl.exe starts this program without a shell."""

CODEX_SECONDS = 60
"""Maximum seconds that Codex waits for our server; Codex does not start if the server takes longer."""

COMMENTS = "contains comments or trailing commas, which would be lost if the file were written again"

Command = Mapping[str, Any]
"""A command in the form that most clients share: `command`, `args` and, if variables are set, `env`."""


class UnreadableConfig(Exception):
    """The configuration file does not have the format that its client writes. The exception text says what is wrong."""


@dataclass(frozen=True)
class Machine:
    """The values that determine the path of a file: `sys.platform`, the home folder and the environment variables."""

    system: str
    home: Path
    environment: Mapping[str, str]
    windows: "Machine | None" = None
    """Under WSL, the Windows account to which the folders of Windows programs belong. The account's paths are written
    as Linux sees them."""

    def folder(self, variable: str, default: str = "") -> Path:
        """The folder that an environment variable names. Otherwise, the folder `default` in the home folder."""
        return Path(self.environment.get(variable) or self.home / default)

    @property
    def app_data(self) -> Path:
        """The folder of per-user application settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        windows = self.system == "win32"
        return self.folder("APPDATA", "AppData/Roaming") if windows else self.folder("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True)
class Client:
    """One client. `key` names the list of servers in its file, and `entry` makes our entry for it. `after` is the
    user's next step, in which `{plugin}` stands for the commands that install our plugin. A program with `on_desktop`
    runs on Windows if we run in WSL."""

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
    """WSLENV names the variables that wsl.exe passes to the command."""
    variables = command.get("env", {})
    passed = {"env": {**variables, "WSLENV": ":".join(variables)}} if variables else {}
    where = ["-d", machine.environment[WSL_NAME], THROUGH_WSL]
    return {"command": "wsl.exe", "args": [*where, command["command"], *command["args"]], **passed}


def _typed(command: Command) -> dict[str, Any]:
    return {"type": "stdio", **command}


def _awaited(command: Command) -> dict[str, Any]:
    """Without a required server, the requests of `codex exec` are sent without our tools."""
    program = {"command": command["command"], "args": command["args"]}
    return {**program, "required": True, "startup_timeout_sec": CODEX_SECONDS, **command}


def _opencode(command: Command) -> dict[str, Any]:
    environment = {"environment": command["env"]} if "env" in command else {}
    return {"type": "local", "command": [command["command"], *command["args"]], "enabled": True, **environment}


def _opencode_file(machine: Machine) -> Path:
    """opencode reads both files. The second is chosen only if it alone exists."""
    folder = machine.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    plain, commented = folder / "opencode.json", folder / "opencode.jsonc"
    return commented if commented.exists() and not plain.exists() else plain


CLIENTS: Mapping[ClientName, Client] = {
    ClientName.CLAUDE_DESKTOP: Client(
        "Claude Desktop",
        lambda machine: machine.app_data / "Claude" / "claude_desktop_config.json",
        "mcpServers",
        dict,
        "Quit Claude Desktop completely and open it again.",
        on_desktop=True,
    ),
    ClientName.CLAUDE_CODE: Client(
        "Claude Code",
        lambda machine: machine.folder("CLAUDE_CONFIG_DIR") / ".claude.json",  # each account may have its own folder
        "mcpServers",
        _typed,
        "Start a new Claude Code session. Messages are recorded only if the model calls the tool; the plugin records "
        "every prompt and reply (docs/clients/claude-code.md; install it with `{plugin}`).",
    ),
    ClientName.CODEX: Client(
        "Codex",
        lambda machine: machine.folder("CODEX_HOME", ".codex") / "config.toml",
        "mcp_servers",
        _awaited,
        "Start a new Codex session.",
    ),
    ClientName.GEMINI: Client(
        "Gemini CLI",
        lambda machine: machine.folder("GEMINI_CLI_HOME") / ".gemini" / "settings.json",
        "mcpServers",
        dict,
        "Start a new Gemini session.",
    ),
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
        dict,
        "Open Cursor's MCP settings and enable it.",
        on_desktop=True,
    ),
}


class ConfigFile:
    """One text of a client's configuration file. The methods change nothing. Raises UnreadableConfig."""

    def __init__(self, client: Client, file: Path, text: str) -> None:
        self._client, self._file, self._text = client, file, text
        self._document = self._parsed()
        self._servers = self._document.get(client.key, {})
        if not isinstance(self._servers, dict):
            raise UnreadableConfig(f"{client.key} in {file} is not a table of servers")

    @property
    def has_entry(self) -> bool:
        """Whether the entry with our name starts our server or contains its local URL."""
        if self.has_command:
            return True
        try:
            url = urlsplit(str(self._entry.get("url") or self._entry.get("httpUrl") or ""))
            return url.path == "/mcp" and url.hostname in LOOPBACK
        except ValueError:
            return False

    @property
    def has_other_entry(self) -> bool:
        """Whether the file has an entry with our name that belongs to another program."""
        return ENTRY in self._servers and not self.has_entry

    @property
    def has_command(self) -> bool:
        """Whether the entry with our name is a command that starts our server."""
        return self._words[-2:] == OUR_ARGUMENTS

    @property
    def program(self) -> str | None:
        """The program on this machine that our entry starts. None if there is no entry, or if the entry has a URL."""
        words = self._words
        return next(iter(words[words.index(THROUGH_WSL) + 1 :] if THROUGH_WSL in words else words), None)

    @property
    def has_comments(self) -> bool:
        """Whether the file is JSON with comments or trailing commas. They would be lost if it were written again."""
        return not self._is_toml and not commented_json.is_strict(self._text)

    def with_entry(self, command: Command) -> str:
        """The text of the file with our entry added. The comments of a TOML file stay."""
        if self.has_comments:
            raise UnreadableConfig(f"{self._file} {COMMENTS}")
        document = self._parsed()
        document.setdefault(self._client.key, tomlkit.table() if self._is_toml else {})
        document[self._client.key][ENTRY] = self._client.entry(command)
        return self._written(document)

    def without_entry(self, former: str | None) -> str | None:
        """The text after the removal of our entry. If the original text `former` had an entry of that name, it comes
        back. The result is `former` if nothing else was changed since."""
        key, before, document = self._client.key, ConfigFile(self._client, self._file, former or ""), self._parsed()
        if ENTRY in before._servers:
            document[key][ENTRY] = before._servers[ENTRY]
        else:
            document[key].pop(ENTRY, None)
        if not document[key] and key not in before._document:
            document.pop(key)
        left = self._written(document)
        # In TOML, a comment may have been changed since. White space remains after a table was added and removed again.
        same_letters = not self._is_toml or "".join((former or "").split()) == "".join(left.split())
        return former if same_letters and document == before._document else left

    @property
    def _entry(self) -> Mapping[str, Any]:
        entry = self._servers.get(ENTRY)
        return entry if isinstance(entry, dict) else {}

    @property
    def _words(self) -> list[str]:
        command = self._entry.get("command") or []
        words = [*(command if isinstance(command, list) else [command]), *(self._entry.get("args") or [])]
        return [str(word) for word in words]

    @property
    def _is_toml(self) -> bool:
        return self._file.suffix == ".toml"

    def _parsed(self) -> Any:
        try:
            document = tomlkit.parse(self._text) if self._is_toml else commented_json.read(self._text)
        except ValueError as error:  # tomlkit and json raise subclasses of ValueError.
            raise UnreadableConfig(f"{self._file} cannot be read ({error})") from error
        if not isinstance(document, dict):
            raise UnreadableConfig(f"{self._file} does not hold a table of settings")
        return document

    def _written(self, document: Any) -> str:
        return tomlkit.dumps(document) if self._is_toml else commented_json.written(document, self._text)
