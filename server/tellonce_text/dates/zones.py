"""Finds the time zone given with a time of day (`UTC`, `CET`, `New York time`), and the country of a zone."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo, available_timezones

from tellonce_text.dates.tokens import Line


def zone_at(line: Line, index: int) -> tuple[ZoneInfo, int] | None:
    """Parse a time zone. Returns the zone and the index after it, or None if there is no zone at this token."""
    at = index + (line[index].word == "(")
    raw = line.text[line[at].start : line[at].end]
    name, end = _tables()["abbreviations"].get(raw) if raw.isupper() else None, at + 1
    if name is None:
        end = next((at + length + 1 for length in (1, 2, 3) if line[at + length].word == "time"), at)
        name = _names().get(" ".join(line[n].word for n in range(at, end - 1)))
    closed = at == index or line[end].word == ")"
    return (ZoneInfo(name), end + (at > index)) if name and closed else None


@cache
def _names() -> Mapping[str, str]:
    """The zones by the names that can stand before "time": a city, or another name such as "pacific"."""
    cities = {
        zone.rsplit("/", 1)[1].replace("_", " ").lower(): zone for zone in sorted(available_timezones()) if "/" in zone
    }
    return cities | _tables()["names"]


@cache
def _tables() -> Mapping[str, dict[str, str]]:
    file = resources.files("tellonce_text.dates") / "words" / "zones.toml"
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        table: {word.replace("_", " "): zone.strip() for zone, words in zones.items() for word in words.split()}
        for table, zones in tables.items()
    }


def region_of(zone: ZoneInfo) -> str | None:
    """The ISO 3166 code of the zone's country; None for UTC and other zones without a country."""
    return _countries().get(zone.key)


@cache
def _countries() -> Mapping[str, str]:
    table = (resources.files("tzdata.zoneinfo") / "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {columns[2]: columns[0] for columns in rows}
