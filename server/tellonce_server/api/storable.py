"""Refuses values that PostgreSQL cannot store, even if the argument's model allows them. Pure; knows no tool."""

import math
from collections.abc import Iterator
from typing import Any

from tellonce.contract import MAX_BIGINT


def unstorable(arguments: dict[str, Any]) -> str | None:
    """A sentence about the first value that cannot be stored, or None."""
    for path, value in _leaves(arguments):
        reason = _reason(value)
        if reason is not None:
            return f"Argument {path[:80]} {reason}."
    return None


def _leaves(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value with its dotted path. It is iterative, because a caller could nest values deeper than the recursion
    limit."""
    waiting: list[tuple[str, Any]] = list(arguments.items())
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{path}.{key}", inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{path}.{index}", inner) for index, inner in enumerate(value)]
        else:
            yield path, value


def _reason(value: Any) -> str | None:
    if isinstance(value, str):
        if "\x00" in value:
            return "holds a NUL character; send plain text"
        return None if _is_unicode(value) else "is not valid Unicode text"
    if isinstance(value, int) and abs(value) > MAX_BIGINT:
        return "is beyond 64 bits; send a smaller number"
    return "is no finite number" if isinstance(value, float) and not math.isfinite(value) else None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
