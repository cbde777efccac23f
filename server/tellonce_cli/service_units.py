"""The text of the service definition: a systemd user unit or a launchd property list. Pure."""

import plistlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellonce.service_files import NAME


@dataclass(frozen=True)
class Service:
    """The service to run. `folder` is the folder of `.env`; `log` is used only on macOS."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    log: Path


def systemd_unit(service: Service) -> str:
    """A systemd user unit. Only the main process gets the stop signal: `tellonce up` stops its children in order, and
    PostgreSQL keeps running if another program uses it."""
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
    """Quote one word for systemd, with its backslashes and percent signs. The caller doubles the dollar signs of
    commands."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def launchd_plist(service: Service) -> bytes:
    """A launchd agent that runs while the user is logged in, and restarts after a failure."""
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
