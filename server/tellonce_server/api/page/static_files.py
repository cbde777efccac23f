"""The files of the page as they are in the package."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable


@cache
def static_files() -> Mapping[str, bytes]:
    """The page's files by their paths below `/page/`."""
    return dict(_below(files("tellonce_server.api.page") / "static", ""))


def _below(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        found += _below(entry, f"{name}/") if entry.is_dir() else [(name, entry.read_bytes())]
    return found
