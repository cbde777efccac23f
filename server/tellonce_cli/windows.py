"""The Windows account under which this WSL distribution runs."""

import functools
import shutil
import subprocess
from pathlib import Path

from tellonce_cli.client_configs import Machine

SECONDS = 10
"""Maximum time that Windows may take to answer."""

_CMD = "/mnt/c/Windows/System32/cmd.exe"
"""The usual path of `cmd.exe`, for distributions whose PATH lacks the folders of Windows."""


@functools.cache
def windows_account() -> Machine | None:
    """The home folder and the settings folder of the account, as paths of this distribution; None if Windows does not
    answer. Call it only in WSL."""
    try:
        known = _variables()
        home, app_data = (_linux_path(known[name]) for name in ("USERPROFILE", "APPDATA"))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return None
    return Machine("win32", Path(home), {"APPDATA": app_data})


def _variables() -> dict[str, str]:
    """The environment variables of Windows. With `/u` the list is UTF-16, so names in every script are kept. `cmd.exe`
    refuses to start in a folder of the distribution, so it is started in its own folder."""
    program = shutil.which("cmd.exe") or _CMD
    lines = _output([program, "/u", "/d", "/c", "set"], Path(program).parent).decode("utf-16-le").splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def _linux_path(path: str) -> str:
    return _output(["wslpath", "-u", path]).decode().strip()


def _output(command: list[str], folder: Path | None = None) -> bytes:
    return subprocess.run(
        command, check=True, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, cwd=folder
    ).stdout
