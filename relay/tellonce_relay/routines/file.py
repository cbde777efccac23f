"""The routines of config/routines.toml: time, chat, agent and the source of their text."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from tellonce_relay.config_file import Name, read
from tellonce_relay.cron import check
from tellonce_relay.routines.built_in import BUILT_IN

FILE = "routines.toml"


class RoutineTable(BaseModel):
    """One table of the file, named after the routine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cron: Annotated[str, AfterValidator(check)]
    chat: int | None = Field(default=None, description="Default: the default user's private chat.")
    thread: int | None = Field(default=None, description="Topic in that chat.")
    agent: str | None = Field(default=None, description="Agent that speaks.")
    prompt: str | None = Field(default=None, description="Prompt for the model; built-in routines have their own.")
    command: tuple[str, ...] = Field(default=(), description="Program and arguments, run without a shell.")
    seconds: float = Field(default=300, gt=0, description="Seconds the command may take.")


class Routine(RoutineTable):
    name: Name

    @property
    def needs_model(self) -> bool:
        """Whether the routine sends nothing without a language model."""
        return not self.command and self.name not in BUILT_IN

    @model_validator(mode="after")
    def _has_a_source(self) -> "Routine":
        if self.name not in BUILT_IN and not self.command and not self.prompt:
            raise ValueError("needs a command whose output is sent, or a prompt for the model")
        return self


_FILE: TypeAdapter[dict[str, RoutineTable]] = TypeAdapter(dict[str, RoutineTable])


def load_routines(folder: Path) -> tuple[Routine, ...]:
    """Load the routines. Raises SettingsError, which names the mistakes in the file."""
    return read(folder / FILE, _routines) or ()


def _routines(tables: dict[str, Any]) -> tuple[Routine, ...]:
    entries = _FILE.validate_python(tables)
    return tuple(Routine(name=name, **entry.model_dump()) for name, entry in entries.items())
