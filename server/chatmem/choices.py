"""Numbers a person picks out of a list, as they type them; pure."""

import re

_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


def picked(said: str, count: int) -> frozenset[int] | None:
    """The numbers meant by `all`, `none`, or `1,3-5`, of a list of `count`; None for anything else."""
    said = said.strip().lower().rstrip(".,;")
    if said in ("all", "none"):
        return frozenset(range(1, count + 1)) if said == "all" else frozenset()
    parts = [part for part in re.split(r"[,;\s]+", re.sub(r"\s*[-–]\s*", "-", said)) if part]
    ranges = [_RANGE.fullmatch(part) for part in parts]
    if not parts or None in ranges:
        return None
    numbers = frozenset(n for match in ranges if match for n in range(int(match[1]), int(match[2] or match[1]) + 1))
    return numbers if numbers and min(numbers) >= 1 and max(numbers) <= count else None
