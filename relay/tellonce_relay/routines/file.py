"""The routines of config/routines.toml: time, chat, agent and the source of their text."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from tellonce.settings import SettingsError
from tellonce_relay.config_file import Name, mistakes_in, read
from tellonce_relay.cron import check
from tellonce_relay.routines.built_in_routines import BUILT_IN

FILE = "routines.toml"


class _Table(BaseModel):
    """One table of the file, named after the routine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cron: Annotated[str, AfterValidator(check)]
    chat: int | None = Field(default=None, description="Default: the default user's private chat.")
    thread: int | None = Field(default=None, description="Topic in that chat.")
    agent: str | None = Field(default=None, description="Agent that speaks.")
    prompt: str | None = Field(default=None, description="Prompt for the model; built-in routines have their own.")
    command: tuple[str, ...] = Field(default=(), description="Program and arguments, run without a shell.")
    seconds: float = Field(default=300, gt=0, description="Seconds the command may take.")


class Routine(_Table):
    name: Name

    @property
    def needs_model(self) -> bool:
        """Whether only a language model can write the routine's text."""
        return not self.command and self.name not in BUILT_IN

    @model_validator(mode="after")
    def _has_a_source(self) -> "Routine":
        if self.name not in BUILT_IN and not self.command and not self.prompt:
            raise ValueError("needs a command whose output is sent, or a prompt for the model")
        return self


class Routines(NamedTuple):
    """`mistakes` maps the name of each invalid routine, or of the unreadable file, to its errors."""

    valid: tuple[Routine, ...] = ()
    mistakes: Mapping[str, str] = MappingProxyType({})


def load_routines(folder: Path) -> Routines:
    """Load the routines. An invalid routine is left out, and the others are kept."""
    try:
        return read(folder / FILE, _routines) or Routines()
    except SettingsError as error:
        return Routines(mistakes={FILE: str(error)})


def _routines(tables: dict[str, Any]) -> Routines:
    valid, mistakes = [], dict[str, str]()
    for name, table in tables.items():
        try:
            valid.append(Routine(name=name, **_Table.model_validate(table).model_dump()))
        except ValidationError as error:
            mistakes[name] = "; ".join(mistakes_in(error))
    return Routines(tuple(valid), mistakes)
