"""Reads the settings and the data folder of the releases named chatmem. Only this release accepts them."""

import logging
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, PydanticBaseSettingsSource

NAME = "tellonce"
FORMER_NAME = "chatmem"

logger = logging.getLogger(__name__)
_warned: set[str] = set()


def data_folder() -> Path:
    """The default data folder: the new one, or the former one until the server has moved it."""
    folder = user_data_path(NAME, appauthor=False)
    former = user_data_path(FORMER_NAME, appauthor=False)
    return former if former.is_dir() and not folder.exists() else folder


def former_sources(kind: type[BaseSettings]) -> tuple[PydanticBaseSettingsSource, ...]:
    """Settings named `CHATMEM_…` in the environment and in `.env`, used if `TELLONCE_…` is not set."""
    return _FormerEnvironment(kind), _FormerDotEnv(kind)


class _FormerEnvironment(EnvSettingsSource):
    def _load_env_vars(self) -> Mapping[str, str | None]:
        return _renamed(super()._load_env_vars())


class _FormerDotEnv(DotEnvSettingsSource):
    def _read_env_files(self) -> Mapping[str, str | None]:
        return _renamed(super()._read_env_files())


def _renamed(variables: Mapping[str, str | None]) -> dict[str, str | None]:
    """The variables with the former prefix, renamed to the new one. Each causes one warning per process."""
    prefix = f"{FORMER_NAME}_"
    former = {name: value for name, value in variables.items() if name.lower().startswith(prefix)}
    for name in sorted({name.upper() for name in former} - _warned):
        _warned.add(name)
        logger.warning("%s is read as %s in this release only; rename it", name, _new(name).upper())
    return {_new(name): value for name, value in former.items()}


def _new(name: str) -> str:
    return f"{NAME}_{name[len(FORMER_NAME) + 1 :]}"
