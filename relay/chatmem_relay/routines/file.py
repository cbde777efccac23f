"""The routines of config/routines.toml: when, where, in whose name, and where their text comes from."""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from chatmem.settings import SettingsError
from chatmem_relay.routines.cron import check

FILE = "routines.toml"

WRITTEN = ("smart-checkin", "morning-summary", "night-summary")
"""Written by the model from the memory; every other routine runs the user's own command and sends its output."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]


class RoutineEntry(BaseModel):
    """One table of the file; its name is the routine's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cron: Annotated[str, AfterValidator(check)]
    chat: int | None = Field(default=None, description="Default: the default user's private chat.")
    thread: int | None = Field(default=None, description="Topic in that chat.")
    agent: str | None = Field(default=None, description="Who speaks.")
    prompt: str | None = Field(default=None, description="What the model is asked; the built-in routines have one.")
    command: tuple[str, ...] = Field(default=(), description="Program and arguments; no shell.")
    seconds: float = Field(default=300, gt=0, description="Seconds the command may take.")


class Routine(RoutineEntry):
    name: Name

    @model_validator(mode="after")
    def _has_a_source(self) -> "Routine":
        if self.name not in WRITTEN and not self.command and not self.prompt:
            raise ValueError("needs a command whose output is sent, or a prompt for the model")
        return self


_FILE: TypeAdapter[dict[str, RoutineEntry]] = TypeAdapter(dict[str, RoutineEntry])


def load_routines(folder: Path) -> tuple[Routine, ...]:
    """Raises SettingsError, naming what is wrong in the file."""
    file = folder / FILE
    if not file.exists():
        return ()
    try:
        entries = _FILE.validate_python(tomllib.loads(file.read_text()))
        return tuple(Routine(name=name, **entry.model_dump()) for name, entry in entries.items())
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file}: {error}") from None
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_url=False)]
        raise SettingsError(f"{file}:\n  " + "\n  ".join(wrong)) from None
