"""The path of the file that defines the service: a systemd user unit, or a launchd agent on macOS."""

import os
import sys
from pathlib import Path

NAME = "tellonce"


def service_file(platform: str = sys.platform) -> Path:
    """The path of the file that `tellonce service install` writes and `uninstall` removes."""
    if platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{NAME}.plist"
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(config) / "systemd" / "user" / f"{NAME}.service"
