"""Reads and validates any file of the configuration folder, and reports the file's mistakes."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from tellonce.settings import SettingsError

MadeT = TypeVar("MadeT")

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
"""The name of a table: an agent's id, or a routine's name."""


def read(file: Path, make: Callable[[dict[str, Any]], MadeT]) -> MadeT | None:
    """The result of `make` for the file's tables; None if there is no file. Raises SettingsError for invalid contents."""
    if not file.exists():
        return None
    try:
        return make(tomllib.loads(file.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file}: {error}") from None
    except ValidationError as error:
        raise SettingsError(f"{file}:\n  " + "\n  ".join(mistakes_in(error))) from None


def mistakes_in(error: ValidationError) -> list[str]:
    """A line for each mistake: where it is, and what is wrong."""
    found = error.errors(include_url=False)
    return [": ".join(filter(None, (".".join(map(str, one["loc"])), one["msg"]))) for one in found]
