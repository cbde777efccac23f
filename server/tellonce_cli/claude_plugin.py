"""Our plugin for Claude Code. Claude Code's settings say whether the plugin is enabled, and which server the plugin
calls."""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from tellonce.connect import installed
from tellonce.former_name import data_folder
from tellonce.settings import ServerSettings
from tellonce_cli.client_configs import Machine
from tellonce_cli.hosts import LOOPBACK, address

NAME = "tellonce"
PLUGIN = f"{NAME}@{NAME}"
"""The plugin and its marketplace, as Claude Code's commands name them."""

MARKETPLACE = Path(".claude-plugin", "marketplace.json")
"""The file of the marketplace in a clone of the repository."""

REMOVAL = f"claude plugin uninstall {PLUGIN} && claude plugin marketplace remove {NAME}"
"""The commands that remove the plugin and its marketplace."""

MODES = ("off", "recall", "full")
"""What the plugin may do in a project. It records only in the mode `full`."""

_URL = f"http://127.0.0.1:{ServerSettings.model_fields['port'].default}/mcp"


def is_enabled(machine: Machine) -> bool:
    """Whether Claude Code has the plugin. It then needs no entry of ours."""
    enabled = _settings(machine).get("enabledPlugins")
    return isinstance(enabled, dict) and any(on and _is_ours(name) for name, on in enabled.items())


def install_line(machine: Machine, settings: ServerSettings) -> str:
    """The command that installs the plugin, or sets its options, for this memory."""
    missing = _missing(options(machine), settings)
    words = [word for name, value in missing.items() for word in ("--config", f"{name}={value}")]
    return shlex.join(["claude", "plugin", "install", PLUGIN, *words])


def set_up_line(machine: Machine, settings: ServerSettings) -> str:
    """The commands that add the marketplace and install the plugin. CLONE stands for an unknown clone."""
    source = shlex.quote(str(clone() or "CLONE"))
    return f"claude plugin marketplace add {source} && {install_line(machine, settings)}"


def clone() -> Path | None:
    """The clone of the repository from which this program was installed, if it still exists."""
    try:
        origin = json.loads(installed().read_text("direct_url.json") or "{}")
    except ValueError:
        return None
    place = urlsplit(origin.get("url", ""))
    folder = Path(url2pathname(place.path))
    # The folder of `tellonce-light` is inside the clone.
    found = (one for one in (folder, folder.parent) if (one / MARKETPLACE).is_file())
    return next(found, None) if place.scheme == "file" else None


def trouble(machine: Machine, settings: ServerSettings) -> str | None:
    """Why the installed plugin does not use this memory. None also if it calls another machine."""
    inherited = {"data_folder": machine.environment.get("TELLONCE_DATA_DIR")}
    chosen = inherited | {name: value for name, value in options(machine).items() if value}
    url = str(chosen.get("url") or _URL)
    missing = _missing(chosen, settings)
    if not missing or _place(url) is None:
        return None
    if "url" in missing:
        return f"the Claude Code plugin looks for the memory at {url}, but its address is {missing['url']}"
    return f"the Claude Code plugin looks for the access token in another folder than {missing['data_folder']}"


def records(machine: Machine, project: str) -> bool:
    """Whether the plugin may record in the project, a folder. The plugin has the same rule (`tellonce_hooks.project`)."""
    user = options(machine)
    for folder in filter(None, map(str.strip, str(user.get("excluded_folders", "")).split(","))):
        if Path(project).is_relative_to(os.path.realpath(os.path.expanduser(folder))):
            return False
    files = (_claude_folder(machine) / "plugins" / "data").glob("tellonce*/projects.json")
    chosen = [mode for file in files if (mode := _object(file).get(project)) in MODES]
    chosen = chosen or [str(user.get("memory", "")).strip()]
    chosen.append(str(_object(Path(project, ".claude", "tellonce.json")).get("memory")))
    return "off" not in chosen and "recall" not in chosen


def _missing(options: Mapping[str, Any], settings: ServerSettings) -> dict[str, str]:
    """The options that select another memory, each with the value that would select this memory."""
    url, folder = str(options.get("url") or _URL), Path(str(options.get("data_folder") or data_folder())).expanduser()
    found = {"url": _url(settings)} if _place(url) != _place(_url(settings)) else {}
    return found | (
        {"data_folder": str(settings.data_dir.absolute())} if folder.resolve() != settings.data_dir.resolve() else {}
    )


def _url(settings: ServerSettings) -> str:
    return f"{address(settings)}/mcp"


def _place(url: str) -> tuple[bool, int | None] | None:
    """Whether the URL has an IPv6 address, and its port. None if it is not on this machine."""
    try:
        parts = urlsplit(url)
        return ("::" in parts.hostname, parts.port) if parts.hostname in LOOPBACK else None
    except ValueError:
        return None


def options(machine: Machine) -> Mapping[str, Any]:
    """The plugin's options that the user has set. Empty if the plugin was never used."""
    configs = _settings(machine).get("pluginConfigs")
    entries = configs.items() if isinstance(configs, dict) else ()
    ours = (config.get("options") for name, config in entries if _is_ours(name) and isinstance(config, dict))
    found = next(ours, None)
    return found if isinstance(found, dict) else {}


def _is_ours(name: str) -> bool:
    return name.partition("@")[0] == NAME


def _settings(machine: Machine) -> Mapping[str, Any]:
    return _object(_claude_folder(machine) / "settings.json")


def _claude_folder(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", ".claude")


def _object(file: Path) -> Mapping[str, Any]:
    """The JSON object in a file. Empty if it cannot be read."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
