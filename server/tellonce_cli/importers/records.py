"""Reads the records of a JSON export one at a time, so that little memory is used. This module does not know the
formats of the records."""

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ijson

from tellonce_cli.importers.files import Member, Progress, Source, Watched, members
from tellonce_cli.importers.items import ImportFailed, Item, Unreadable, tolerant

MOST_DEPTH = 64
"""Maximum nesting of objects and lists in one record. Exports nest about a dozen levels."""

MOST_CHARACTERS = 16 * 1024 * 1024
"""Maximum number of characters in all values of one record. A conversation of several years has a few million."""

_SHALLOW = 8
"""Maximum depth at which a value's path is reported. Without a maximum, the memory for the paths would grow with the
square of the depth."""

_DEEPEST = 100_000
"""Maximum nesting of a file. A record with more than `MOST_DEPTH` levels is refused, but its end must still be found.
"""


@dataclass(frozen=True)
class Record:
    """A record of the file. If it is too deep or too large, `refused` is the reason and `value` is None."""

    number: int
    value: Any
    refused: str = ""


@dataclass(frozen=True)
class Loose:
    """A value outside of all records, with its path (`prefix`). `event` is ijson's name for the type of the value."""

    prefix: str
    event: str
    value: Any


@dataclass(frozen=True)
class JsonExport:
    """The form of a JSON export. `title` is its name in error messages. The pattern `files` matches the names of its
    files, and `usual` is the usual name. If `is_record` accepts the path of an object, the object is a record."""

    title: str
    files: str
    usual: str
    is_record: Callable[[str], bool]

    def items(self, source: Source, progress: Progress, parse: Callable[[Any], Iterator[Item]]) -> Iterator[Item]:
        """Yield the items that `parse` reads from the records of all files. Raises ImportFailed."""
        with members(source.path, ".json") as found:
            for file in self._export_files(source.path, found):
                for value in self._values(source.path, file, progress):
                    if isinstance(value, Record):
                        yield from read_record(parse, value)

    def values(self, path: Path, progress: Progress) -> Iterator[Record | Loose]:
        """Yield the records of the first file as `Record`, and all other values as `Loose`. Raises ImportFailed."""
        with members(path, ".json") as found:
            first, *_ = self._export_files(path, found)
            yield from self._values(path, first, progress)

    def _export_files(self, path: Path, found: Sequence[Member]) -> Sequence[Member]:
        """The files of the export, those in the outermost folder first. A single file may have any name."""
        if path.is_file() and not zipfile.is_zipfile(path):
            return found
        ours = [file for file in found if re.fullmatch(self.files, file.name.name)]
        if not ours:
            raise ImportFailed(f"{path} holds no {self.usual}; is it the unchanged export, in JSON format?")
        return sorted(ours, key=lambda file: len(file.name.parts))

    def _values(self, path: Path, file: Member, progress: Progress) -> Iterator[Record | Loose]:
        number, begun, building = 0, False, None
        try:
            with file.open() as opened:
                stream = Watched(opened, progress)
                for depth, prefix, event, value in _events(stream):
                    if building is not None:
                        building.take(depth, event, value)
                        if event == "end_map" and depth == building.depth:
                            yield building.record
                            begun, building = True, None
                    elif event == "start_map" and self.is_record(prefix):
                        number += 1
                        building = _Building(number, depth)
                    else:
                        yield Loose(prefix, event, value)
        except ijson.JSONError as error:
            reason = str(error).strip().partition("\n")[0].strip()
            if begun:
                raise ImportFailed(
                    f"{path} breaks off or is damaged ({reason}). Export or download it again "
                    "and import that; a repeated import adds only what is new."
                ) from error
            raise ImportFailed(f"{path} is not a {self.title}: {reason}.") from error


class _Building:
    """A record that is being read. If it exceeds a limit, its content is dropped."""

    def __init__(self, number: int, depth: int) -> None:
        self.depth = depth
        self._number = number
        self._characters = 0
        self._refused = ""
        self._builder: Any = ijson.ObjectBuilder()
        self._builder.event("start_map", None)

    def take(self, depth: int, event: str, value: Any) -> None:
        if self._refused:
            return
        # Every value counts as at least 16 characters, because even an empty list takes memory.
        self._characters += 16 + (len(value) if isinstance(value, str) else 0)
        if depth - self.depth > MOST_DEPTH:
            self._refuse(f"nested deeper than {MOST_DEPTH} levels")
        elif self._characters > MOST_CHARACTERS:
            self._refuse(f"larger than {MOST_CHARACTERS // 1024 // 1024} MiB")
        else:
            self._builder.event(event, value)

    @property
    def record(self) -> Record:
        return Record(self._number, self._builder and self._builder.value, self._refused)

    def _refuse(self, why: str) -> None:
        self._refused, self._builder = why, None


def _events(stream: Watched) -> Iterator[tuple[int, str, str, Any]]:
    """The events of ijson, each with its depth and path."""
    path: list[str] = [""]
    keys: list[str] = [""]
    for event, value in ijson.basic_parse(stream):
        stream.heard()
        if event == "map_key":
            keys[-1] = value
            yield len(path) - 1, path[-1], event, value
        elif event in ("end_map", "end_array"):
            keys.pop()
            yield len(path) - 1, path.pop(), event, value
        else:
            prefix = _joined(path, keys[-1])
            if event in ("start_map", "start_array"):
                if len(path) > _DEEPEST:
                    raise ijson.JSONError(f"nested deeper than {_DEEPEST} levels")
                path.append(prefix)
                keys.append("item" if event == "start_array" else "")
                yield len(path) - 1, prefix, event, value
            else:
                yield len(path), prefix, event, value


def _joined(path: list[str], key: str) -> str:
    if len(path) > _SHALLOW:
        return "…"
    return f"{path[-1]}.{key}" if path[-1] else key


def read_record(parse: Callable[[Any], Iterator[Item]], record: Record) -> Iterator[Item]:
    """Yield the items of a record, or an `Unreadable` with the reason and the record's number."""
    name = f"record {record.number}"
    if record.refused:
        yield Unreadable(f"{name}: it is {record.refused}")
    else:
        yield from tolerant(parse, record.value, name)
