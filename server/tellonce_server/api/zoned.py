"""Converts a result's times to the user's zone: `2026-03-15T00:00:00+08:00` instead of the day before in UTC. Pure."""

from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel

ResultT = TypeVar("ResultT", bound=BaseModel)


def in_zone(result: ResultT, zone: ZoneInfo) -> ResultT:
    """The same result with its times written in the user's zone."""
    placed: ResultT = _placed(result, zone)
    return placed


def _placed(value: Any, zone: ZoneInfo) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(zone)
    if isinstance(value, tuple):
        return tuple(_placed(part, zone) for part in value)
    if isinstance(value, BaseModel):
        changed = {name: _placed(part, zone) for name, part in value if isinstance(part, datetime | tuple | BaseModel)}
        return value.model_copy(update=changed) if changed else value
    return value
