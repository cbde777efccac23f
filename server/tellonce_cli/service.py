"""`tellonce service install|uninstall|status|logs`: the memory as a service, with systemd or launchd."""

import getpass
import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tellonce.children import SERVICE_NAME, service_file
from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.settings import ServerSettings, Settings, load, variable
from tellonce_cli.hosts import own_command, require_installation
from tellonce_cli.screen import CommandFailed, answer, console, hint, notes

LOG_NAME = "service.log"
CARRIED = "TELLONCE_DATA_DIR"
_NEEDS_SESSION = {
    "systemctl": "A service of yours needs a user session: log in as this user directly (not with `su` or `sudo`), or let an "
    f"administrator run `loginctl enable-linger {getpass.getuser()}`. Then run `tellonce service install` again."
}


@dataclass(frozen=True)
class Service:
    """The service to run. `folder` is the folder of `.env`. `log` is used only on macOS."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    log: Path


def systemd_unit(service: Service) -> bytes:
    """A systemd user unit. Only the main process gets the stop signal, and stops its children in order."""
    settings = [f"Environment={_quoted(f'{name}={value}')}\n" for name, value in service.environment.items()]
    return f"""\
[Unit]
Description=Tellonce: one memory for every assistant

[Service]
ExecStart={" ".join(_quoted(word).replace("$", "$$") for word in service.command)}
WorkingDirectory={str(service.folder).replace("%", "%%")}
{"".join(settings)}Restart=on-failure
RestartSec=5
KillMode=process
TimeoutStopSec=90

[Install]
WantedBy=default.target
""".encode()


def _quoted(text: str) -> str:
    """One word for systemd. The caller doubles the dollar signs of commands."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def launchd_plist(service: Service) -> bytes:
    """A launchd agent that runs while the user is logged in, and restarts after a failure."""
    return plistlib.dumps(
        {
            "Label": SERVICE_NAME,
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


class Systemd:
    """The service manager of Linux. Like `Launchd`, it returns the commands to run, in order."""

    program = "systemctl"
    text = staticmethod(systemd_unit)

    def start(self, file: Path) -> list[list[str]]:
        """Start the service. If the service already runs, `restart` applies the new unit file."""
        user = [self.program, "--user"]
        return [[*user, "daemon-reload"], [*user, "enable", file.name], [*user, "restart", file.name]]

    def stop(self, file: Path) -> list[list[str]]:
        return [[self.program, "--user", "disable", "--now", file.name]]

    def status(self) -> list[str]:
        return [self.program, "--user", "--no-pager", "status", SERVICE_NAME]

    def logs(self, log: Path, *, follow: bool) -> list[str]:
        return [
            "journalctl",
            "--user",
            "--unit",
            SERVICE_NAME,
            *(["--follow"] if follow else ["--no-pager", "--lines=100"]),
        ]


class Launchd:
    """The service manager of macOS."""

    program = "launchctl"
    text = staticmethod(launchd_plist)

    def start(self, file: Path) -> list[list[str]]:
        return [[self.program, "bootstrap", self._domain(), str(file)]]

    def stop(self, file: Path) -> list[list[str]]:
        return [[self.program, "bootout", f"{self._domain()}/{SERVICE_NAME}"]]

    def status(self) -> list[str]:
        return [self.program, "print", f"{self._domain()}/{SERVICE_NAME}"]

    def logs(self, log: Path, *, follow: bool) -> list[str]:
        return ["tail", *(["-f"] if follow else ["-n", "100"]), str(log)]

    def _domain(self) -> str:
        return f"gui/{os.getuid()}"


Manager = Systemd | Launchd


def run(
    action: Literal["install", "uninstall", "status", "logs"], *, only_print: bool = False, follow: bool = False
) -> int:
    """Run an action and return its exit code. For `status` and `logs`, it is the exit code of the service manager."""
    if follow and console.quiet:
        raise CommandFailed("choose one of --follow and --json.")
    settings, system = load(ServerSettings), Launchd() if sys.platform == "darwin" else Systemd()
    match action:
        case "install":
            return _install(system, settings, only_print=only_print)
        case "uninstall":
            return _uninstall(system)
        case "status":
            return _ask(system.status())
        case "logs":
            return _ask(system.logs(settings.data_dir / LOG_NAME, follow=follow))


def _install(system: Manager, settings: ServerSettings, *, only_print: bool) -> int:
    data = settings.data_dir.absolute()
    service = Service((*own_command(), "up"), Path.cwd(), {CARRIED: str(data)}, data / LOG_NAME)
    text, file = system.text(service), service_file()
    if only_print:
        console.out(text.decode(), end="", highlight=False)
        _warn_of_the_environment()
        answer({"file": str(file), "text": text.decode()})
        return 0
    require_installation()
    again = file.exists()
    _write(file, text, data)
    _warn_of_the_environment()
    if again and isinstance(system, Launchd):
        _tried(system.stop(file))
    if not _tried(system.start(file)):
        if not again:
            file.unlink()
            notes.print("The service is not installed, and nothing was changed.")
        notes.print(_NEEDS_SESSION.get(system.program, ""))
        return 1
    console.print(f"Wrote {file}. The service reads its settings from {Path.cwd() / '.env'}.")
    console.print("Tellonce runs now, and whenever you log in.")
    hint("Next: tellonce service status shows its state, tellonce open shows the memory page.")
    if isinstance(system, Systemd):
        hint("To keep it running while you are logged out: loginctl enable-linger")
    answer({"file": str(file), "installed": True})
    return 0


def _write(file: Path, text: bytes, data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    except OSError as error:
        raise CommandFailed(
            f"{error.filename or file} cannot be written ({error.strerror}). The service is not installed; make this "
            "writable for you and run it again."
        ) from error


def _warn_of_the_environment() -> None:
    """Only names are shown, because the values may be secrets."""
    kinds: Sequence[type[Settings]] = (ServerSettings, SummarizerSettings, RelaySettings)
    known = {variable(name, field) for kind in kinds for name, field in kind.model_fields.items()} - {CARRIED}
    lost = sorted(name for name in os.environ if name.partition("__")[0] in known)
    if lost:
        notes.print(
            f"The service does not see these variables of this shell: {', '.join(lost)}. Put them into .env.",
            style="yellow",
        )


def _uninstall(system: Manager) -> int:
    file = service_file()
    if not file.exists():
        raise CommandFailed("the service is not installed.")
    stopped = _tried(system.stop(file))
    file.unlink()
    if isinstance(system, Systemd):
        _tried([[system.program, "--user", "daemon-reload"]])
    console.print(f"Removed {file}. Your memory stays where it is.")
    answer({"file": str(file), "installed": False})
    return 0 if stopped else 1


def _tried(commands: Sequence[Sequence[str]]) -> bool:
    for command in commands:
        found = shutil.which(command[0])
        done = subprocess.run(command, capture_output=True, text=True, check=False) if found else None
        if done is None or done.returncode:
            reason = done.stderr.strip() if done is not None else f"{command[0]} is not installed"
            notes.print(f"{shlex.join(command)} failed: {reason}", style="red")
            return False
    return True


def _ask(command: Sequence[str]) -> int:
    if not service_file().exists():
        raise CommandFailed("the service is not installed; `tellonce service install` installs it.")
    if shutil.which(command[0]) is None:
        raise CommandFailed(f"{command[0]} is not installed here, so the state of the service is unknown.")
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE if console.quiet else None, text=True)
    answer({"exit_code": done.returncode, "output": done.stdout})
    return done.returncode
