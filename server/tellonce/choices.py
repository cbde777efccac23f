"""Parses the numbers a person picks from a list. Pure."""

import re

_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
_DASH = re.compile(r"(?<!\s)\s*+[-–]\s*+")


def picked(said: str, count: int) -> frozenset[int] | None:
    """The numbers that a text such as `all`, `none` or `1,3-5` selects from a list of `count` items; None for other
    texts."""
    said = said.strip().lower().rstrip(".,;")
    if said in ("all", "none"):
        return frozenset(range(1, count + 1)) if said == "all" else frozenset()
    parts = [part for part in re.split(r"[,;\s]+", _DASH.sub("-", said)) if part]
    found = [match for part in parts if (match := _RANGE.fullmatch(part))]
    ranges = [(int(match[1]), int(match[2] or match[1])) for match in found]
    if len(found) < len(parts) or any(first < 1 or last > count for first, last in ranges):
        return None
    return frozenset(number for first, last in ranges for number in range(first, last + 1)) or None
