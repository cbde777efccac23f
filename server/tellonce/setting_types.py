"""The formats of setting values: lists, ids, addresses, folders. Pure."""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode


def _split(value: Any) -> Any:
    return [part for part in value.replace(",", " ").split() if part] if isinstance(value, str) else value


def _numbers(value: Any) -> Any:
    """People often write a name where an id is required."""
    parts = _split(value)
    wrong = [part for part in parts if not re.fullmatch(r"-?\d+", str(part))] if isinstance(parts, list) else []
    if wrong:
        raise ValueError(f"{wrong[0]!r} is not an id; ids are numbers, and @userinfobot on Telegram shows yours")
    return parts


def _of_people(ids: tuple[int, ...]) -> tuple[int, ...]:
    if any(number <= 0 for number in ids):
        raise ValueError("the id of a person is positive; list groups in TELEGRAM_GROUPS")
    return ids


def _of_groups(ids: tuple[int, ...]) -> tuple[int, ...]:
    if any(number >= 0 for number in ids):
        raise ValueError("the id of a group is negative, as in -1001234567890")
    return ids


_Ids = Annotated[tuple[int, ...], NoDecode, BeforeValidator(_numbers)]
UserIds = Annotated[_Ids, AfterValidator(_of_people)]
GroupIds = Annotated[_Ids, AfterValidator(_of_groups)]
Folder = Annotated[Path, AfterValidator(Path.expanduser)]
"""A path. `~` is expanded here, because no shell expands it in `.env`."""


def _with_scheme(value: Any) -> Any:
    """Ollama's own variable allows an address without a scheme or port."""
    if not isinstance(value, str) or not value or "://" in value:
        return value
    return f"http://{value}" if re.search(r":\d+/?$", value) else f"http://{value}:11434"


def _with_host(value: Any) -> Any:
    """A port is an address on this machine: `8765 -> http://127.0.0.1:8765/mcp`."""
    if "://" not in str(value) and not str(value).isdecimal():
        raise ValueError(f"{value!r} is neither an address, as in http://127.0.0.1:8765/mcp, nor a port")
    return f"http://127.0.0.1:{value}/mcp" if str(value).isdecimal() else value


OllamaAddress = Annotated[str, BeforeValidator(_with_scheme)]
ServerAddress = Annotated[str, BeforeValidator(_with_host)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
