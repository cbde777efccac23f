"""The user's choices for a project: the mode (off, recall or full), excluded folders, and private parts."""

from __future__ import annotations

import os
import zlib

from tellonce_hooks.json_codec import dumps
from tellonce_hooks.server import option, read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tellonce_hooks.server import Json


MODES = ("off", "recall", "full")
"""The modes, from the least to the most access."""

OWN_FILE = os.path.join(".claude", "tellonce.json")
"""The project's own file. An example of its content is `{"memory": "off"}`. Other people can write this file, so it can
only restrict the mode."""

MOST_NAME = 128

PRIVATE = r"(?is)<private>.*?(?:</private>|\Z)"


def folder() -> str:
    """The project's folder."""
    return os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())


def name(path: str) -> str:
    """The folder's path, with `~` for the home folder. A path that is too long begins with a checksum."""
    home = os.path.realpath(os.path.expanduser("~"))
    shown = "~" + path[len(home) :] if path == home or path.startswith(home + os.sep) else path
    return shown if len(shown) <= MOST_NAME else f"{zlib.crc32(path.encode()):08x}…{shown[9 - MOST_NAME :]}"


def mode(path: str) -> str:
    """The user's choice, which the project's own file can only restrict. `off` in an excluded folder."""
    if _excluded(path):
        return "off"
    chosen = _known(_chosen().get(path)) or _known(option("memory")) or "full"
    own = _known(read_object(os.path.join(path, OWN_FILE)).get("memory")) or "full"
    return min(chosen, own, key=MODES.index)


def choose(path: str, wanted: str) -> None:
    """Store the user's choice for the project."""
    chosen = _chosen()
    chosen[path] = wanted
    os.makedirs(data(), exist_ok=True)
    part = os.path.join(data(), "projects.json.part")
    with open(part, "w", encoding="utf-8") as file:
        file.write(dumps(chosen))
    os.replace(part, os.path.join(data(), "projects.json"))


def without_private(text: str) -> str:
    """A `<private>` part without a closing tag extends to the end of the text."""
    if "<private>" in text.lower():
        import re  # noqa: PLC0415  # loading it takes longer than everything else a prompt needs

        text = re.sub(PRIVATE, "", text)
    return text.strip()


def data() -> str:
    """The plugin's own folder. The folder remains when the plugin is updated."""
    return os.environ.get("CLAUDE_PLUGIN_DATA") or os.path.expanduser("~/.claude/plugins/data/tellonce")


def _excluded(path: str) -> bool:
    named = [part.strip() for part in option("excluded_folders").split(",") if part.strip()]
    folders = [os.path.realpath(os.path.expanduser(part)) for part in named]
    return any(path == one or path.startswith(one.rstrip(os.sep) + os.sep) for one in folders)


def _known(value: object) -> str:
    return value if isinstance(value, str) and value in MODES else ""


def _chosen() -> Json:
    return read_object(os.path.join(data(), "projects.json"))
