"""The configuration text that a host (Claude Desktop, Claude Code) needs to use this memory."""

import shlex
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tellonce.children import python
from tellonce.settings import ServerSettings, variable
from tellonce_cli.screen import CommandFailed

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of this machine in a URL."""


class ClientName(StrEnum):
    """The clients that `tellonce connect` can configure."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    OPENCODE = "opencode"
    VSCODE = "vscode"
    CURSOR = "cursor"


_DECIDES = (
    "data_dir",
    "database_url",
    "database_direct_url",
    "user_ids",
    "timezone",
    "personal_groups",
    "embeddings",
    "embedding_model_dir",
    "mask_messages",
)
"""The settings that determine whose memory a server serves, where it is, and in which form."""

_SECRET = "put the value of your setting here"


def address(settings: ServerSettings) -> str:
    """The base URL of the HTTP server for clients on this machine."""
    return f"http://{settings.own_name}:{settings.port}"


def desktop_snippet(settings: ServerSettings, *, reveal: bool = False) -> dict[str, Any]:
    """The entry for Claude Desktop, which sees neither our environment nor `.env`. With `reveal`, which is meant for
    files, the entry contains the secrets instead of placeholders."""
    program = own_command()
    entry: dict[str, Any] = {"command": program[0], "args": [*program[1:], "serve", "--stdio"]}
    environment = _environment(settings, reveal)
    return {"mcpServers": {"memory": {**entry, "env": environment} if environment else entry}}


def own_command() -> list[str]:
    """The command that starts this program from any current folder."""
    installed = (Path(sys.argv[0]).absolute(), Path(sys.executable).with_name("tellonce"))
    command = next((file for file in installed if file.name == "tellonce" and file.exists()), None)
    return [str(command)] if command is not None else python("tellonce_cli.entry")


def require_installation() -> None:
    """Raises CommandFailed in the cache of `uvx` or `pipx run`, whose path must not be written to a file."""
    parts = Path(sys.prefix).parts
    of_pipx = "pipx" in parts and not {".cache", "Caches"}.isdisjoint(parts)
    if of_pipx or any(part.startswith("archive-v") for part in parts):
        raise CommandFailed(
            f"this copy of tellonce is in a cache ({sys.prefix}), which may be cleared at any time. Install it with "
            "`uv tool install tellonce` or `pipx install tellonce`, then run this again."
        )


def shown_command() -> str:
    """The command as a person types it: `tellonce` if the shell finds it, otherwise the path."""
    return "tellonce" if shutil.which("tellonce") else shlex.join(own_command())


def _environment(settings: ServerSettings, reveal: bool) -> dict[str, str]:
    """The environment variables for a server that another program starts. With these variables, that server uses the
    same memory."""
    fields = ServerSettings.model_fields
    values = {name: getattr(settings, name) for name in _DECIDES if name in settings.model_fields_set}
    return {variable(name, fields[name]): _setting_text(value, reveal) for name, value in values.items()}


def _setting_text(value: object, reveal: bool) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value() if reveal else _SECRET
    if isinstance(value, Path):
        return str(value.absolute())
    return ",".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
