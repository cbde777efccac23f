"""The text of the service's description: a systemd user unit, or a launchd property list; pure."""

import plistlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellonce.service_files import NAME


@dataclass(frozen=True)
class Service:
    """What the system is to run. `folder` is where the program finds its `.env`; `log` is used on macOS only."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    log: Path


def systemd_unit(service: Service) -> str:
    """A user unit. Only the main process gets the stop signal: it ends its children in order, and a PostgreSQL that
    another program still uses stays up.
    """
    settings = [f"Environment={_quoted(f'{name}={value}')}" for name, value in service.environment.items()]
    return "\n".join(
        [
            "[Unit]",
            "Description=Tellonce: one memory for every assistant",
            "",
            "[Service]",
            f"ExecStart={' '.join(_quoted(word).replace('$', '$$') for word in service.command)}",
            f"WorkingDirectory={str(service.folder).replace('%', '%%')}",
            *settings,
            "Restart=on-failure",
            "RestartSec=5",
            "KillMode=process",
            "TimeoutStopSec=90",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def _quoted(text: str) -> str:
    """As systemd reads one word: quoted, with its own escapes and specifiers taken literally. In a command, and only there,
    a dollar sign is doubled too.
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def launchd_plist(service: Service) -> bytes:
    """An agent that runs while the user is logged in, and again after a failure."""
    return plistlib.dumps(
        {
            "Label": NAME,
            "ProgramArguments": list(service.command),
            "WorkingDirectory": str(service.folder),
            "EnvironmentVariables": dict(service.environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "StandardOutPath": str(service.log),
            "StandardErrorPath": str(service.log),
            "ExitTimeOut": 90,
        }
    )
