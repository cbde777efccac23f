"""Reads the file of MCP's reference memory server: in each line, an entity with observations, or a relation."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tellonce_cli.importers.files import Progress, Source
from tellonce_cli.importers.items import USER, Item, NotAsItShouldBe, memory_about
from tellonce_cli.importers.jsonl import entry_of, parsed_lines
from tellonce_server.services.import_memories import ImportMemory

NOTHING = "is not a memory file of MCP's reference server: it contains no entity with observations."
USERS = ("default_user", "user", "the user")
"""Names that an entity for the user may have. The instructions of the reference server use the first of these names."""


def read(source: Source, progress: Progress) -> Iterator[Item]:
    """The time of each memory is the time of the file's last change. Raises ImportFailed."""
    changed = datetime.fromtimestamp(source.path.stat().st_mtime, UTC)
    return parsed_lines(source.path, progress, lambda line: _item(line, changed))


def _item(line: bytes, changed: datetime) -> Iterator[Item]:
    entry = entry_of(line)
    match entry.get("type"):
        case "entity":
            yield from _observations(entry, changed)
        case "relation":
            yield _relation(entry, changed)
        case _:
            raise NotAsItShouldBe("it is neither an entity nor a relation")


def _observations(entity: dict[str, Any], changed: datetime) -> Iterator[ImportMemory]:
    about = _name(entity["name"])
    for observation in entity["observations"]:
        yield memory_about(about, str(observation).strip(), changed)


def _relation(relation: dict[str, Any], changed: datetime) -> ImportMemory:
    about, to = _name(relation["from"]), _name(relation["to"])
    who, whom = ("the user" if name == USER else name for name in (about, to))
    text = f"{who} {str(relation['relationType']).replace('_', ' ')} {whom}"
    return ImportMemory(text[:1].upper() + text[1:], said_at=changed, about=about)


def _name(name: Any) -> str:
    text = str(name).replace("_", " ").strip()
    return USER if text.casefold().replace(" ", "_") in USERS or text.casefold() in USERS else text
