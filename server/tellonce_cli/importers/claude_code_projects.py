"""Determines the conversation name of a Claude Code project, and whether the plugin may record in the project.

The plugin has the same rules in a module without dependencies (`tellonce_hooks.project`); a test compares the two
modules.
"""

import json
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODES = ("off", "recall", "full")
"""The modes of the plugin, from the least to the most access. Messages are recorded only in the mode `full`."""

_LONGEST_NAME = 128
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)


def conversation_name(folder: str) -> str:
    """The plugin's name for a project: the path of its folder, with `~` for the home folder. If the path is too long,
    the name is a checksum and the end of the path."""
    home = os.path.realpath(os.path.expanduser("~"))
    shown = "~" + folder[len(home) :] if folder == home or folder.startswith(home + os.sep) else folder
    return shown if len(shown) <= _LONGEST_NAME else f"{zlib.crc32(folder.encode()):08x}…{shown[9 - _LONGEST_NAME :]}"


def without_private(text: str) -> str:
    """Return the text without the parts that the user marked with `<private>…</private>`."""
    return _PRIVATE.sub("", text).strip()


@dataclass(frozen=True)
class Choices:
    """The user's settings of the plugin: its options, and the modes of individual projects."""

    options: Mapping[str, Any]
    projects: Mapping[str, Any]

    def records(self, folder: str) -> bool:
        """Whether messages in the folder may be recorded."""
        if self._excludes(folder):
            return False
        own = _object(Path(folder) / ".claude" / "tellonce.json").get("memory")
        chosen = _mode(self.projects.get(folder)) or _mode(self.options.get("memory")) or "full"
        return min(chosen, _mode(own) or "full", key=MODES.index) == "full"

    def _excludes(self, folder: str) -> bool:
        named = [part.strip() for part in str(self.options.get("excluded_folders", "")).split(",") if part.strip()]
        excluded = [os.path.realpath(os.path.expanduser(part)) for part in named]
        return any(folder == one or folder.startswith(one.rstrip(os.sep) + os.sep) for one in excluded)


def choices() -> Choices:
    """The settings on this machine; empty if the plugin was never used."""
    config = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    configs = _object(config / "settings.json").get("pluginConfigs") or {}
    options: dict[str, Any] = next(
        (each.get("options", {}) for name, each in configs.items() if name.startswith("tellonce@")), {}
    )
    projects: dict[str, Any] = {}
    for file in sorted((config / "plugins" / "data").glob("tellonce*/projects.json")):
        projects |= _object(file)
    return Choices(options, projects)


def _mode(value: object) -> str:
    return value if isinstance(value, str) and value in MODES else ""


def _object(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; empty if the file has none."""
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
