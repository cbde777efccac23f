"""Finds the time zone given with a time of day (`UTC`, `CET`, `New York time`), and the country of a zone."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from tellonce_text.dates.tokens import Line


def zone_at(line: Line, index: int) -> tuple[ZoneInfo, int] | None:
    """Parse a time zone. Returns the zone and the index after it, or None if there is no zone at this token."""
    start = index + 1 if line[index].word == "(" else index
    found = _abbreviated(line, start) or _named(line, start)
    if found is None or start == index:
        return found
    return (found[0], found[1] + 1) if line[found[1]].word == ")" else None


def _abbreviated(line: Line, index: int) -> tuple[ZoneInfo, int] | None:
    token = line[index]
    raw = line.text[token.start : token.end]
    name = _abbreviations().get(raw) if raw.isupper() else None
    return (ZoneInfo(name), index + 1) if name else None


def _named(line: Line, index: int) -> tuple[ZoneInfo, int] | None:
    for length in (1, 2, 3):
        if line[index + length].word == "time":
            name = " ".join(line[index + n].word for n in range(length))
            zone = _names().get(name)
            return (ZoneInfo(zone), index + length + 1) if zone else None
    return None


@cache
def _abbreviations() -> Mapping[str, str]:
    return _inverted("abbreviations")


@cache
def _names() -> Mapping[str, str]:
    """Zones by the names that can precede "time": cities (the last part of a zone's name), and other names such as
    "pacific"."""
    cities = {
        zone.rsplit("/", 1)[1].replace("_", " ").lower(): zone for zone in sorted(available_timezones()) if "/" in zone
    }
    return cities | _inverted("names")


def _inverted(table: str) -> dict[str, str]:
    file = resources.files("tellonce_text.dates") / "words" / "zones.toml"
    data: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name.replace("_", " "): zone.strip() for zone, names in data[table].items() for name in names.split()}


def region_of(zone: ZoneInfo) -> str | None:
    """The ISO 3166 code of the zone's country; None for UTC and other zones without a country."""
    return _countries().get(zone.key)


@cache
def _countries() -> Mapping[str, str]:
    table = (resources.files("tzdata.zoneinfo") / "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {columns[2]: columns[0] for columns in rows}
