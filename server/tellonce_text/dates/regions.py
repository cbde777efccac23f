"""The country of a time zone, from the table in the time zone database."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo


def region_of(zone: ZoneInfo) -> str | None:
    """The ISO 3166 code of the zone's country; None for UTC and other zones without a country."""
    return _countries().get(zone.key)


@cache
def _countries() -> Mapping[str, str]:
    table = (resources.files("tzdata.zoneinfo") / "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {columns[2]: columns[0] for columns in rows}
