"""The records of a JSON export, one at a time, in bounded memory whatever the file holds; knows no vendor's shape."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ijson

from tellonce_cli.importers.files import Watched
from tellonce_cli.importers.items import Item, Unreadable, tolerant

MOST_DEPTH = 64
"""Objects and lists inside each other in one record. Exports nest a dozen."""

MOST_CHARACTERS = 16 * 1024 * 1024
"""Of all values of one record; a conversation of years has a few million."""

_SHALLOW = 8
"""Depth down to which a value's path is told: deeper ones would take memory in proportion to the depth's square."""

_DEEPEST = 100_000
"""Levels of a file that are followed at all, to find the end of a record that is too deep."""


@dataclass(frozen=True)
class Record:
    """The `number`-th record of the file, found at `place`; of one that is too deep or too large only `refused`: why."""

    number: int
    place: str
    value: Any
    refused: str = ""


@dataclass(frozen=True)
class Loose:
    """A value outside of any record, by its path; `event` as ijson names it."""

    prefix: str
    event: str
    value: Any


def records(stream: Watched, is_record: Callable[[str], bool]) -> Iterator[Record | Loose]:
    """Objects at paths that `is_record` accepts, as records, and everything else as it comes.

    Raises:
        ijson.JSONError: where it is no JSON any more.
    """
    number, building = 0, None
    for depth, prefix, event, value in _events(stream):
        if building is not None:
            building.take(depth, event, value)
            if event == "end_map" and depth == building.depth:
                yield building.record
                building = None
        elif event == "start_map" and is_record(prefix):
            number += 1
            building = _Building(number, prefix, depth)
        else:
            yield Loose(prefix, event, value)


class _Building:
    """One record as it is read. What breaks a bound is dropped at once; the rest of it is only counted past."""

    def __init__(self, number: int, place: str, depth: int) -> None:
        self.depth = depth
        self._number = number
        self._place = place
        self._characters = 0
        self._refused = ""
        self._builder: Any = ijson.ObjectBuilder()
        self._builder.event("start_map", None)

    def take(self, depth: int, event: str, value: Any) -> None:
        if self._refused:
            return
        # Every value counts for a little: an empty list takes memory too.
        self._characters += 16 + (len(value) if isinstance(value, str) else 0)
        if depth - self.depth > MOST_DEPTH:
            self._refuse(f"nested deeper than {MOST_DEPTH} levels")
        elif self._characters > MOST_CHARACTERS:
            self._refuse(f"larger than {MOST_CHARACTERS // 1024 // 1024} MiB")
        else:
            self._builder.event(event, value)

    @property
    def record(self) -> Record:
        return Record(self._number, self._place, self._builder and self._builder.value, self._refused)

    def _refuse(self, why: str) -> None:
        self._refused, self._builder = why, None


def _events(stream: Watched) -> Iterator[tuple[int, str, str, Any]]:
    """ijson's events with their depth and path; an object or list has the same ones at its start and its end."""
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
    """The items of a record, or what is wrong with it, by its number."""
    name = f"record {record.number}"
    if record.refused:
        yield Unreadable(f"{name}: it is {record.refused}")
    else:
        yield from tolerant(parse, record.value, name)
