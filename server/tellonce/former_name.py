"""Reads the settings and the data folder of older releases, which were named chatmem. Only this release reads them."""

import logging
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, PydanticBaseSettingsSource

NAME = "tellonce"
FORMER_NAME = "chatmem"
_GROUPED = {f"telegram_webhook_{part}": f"telegram_webhook__{part}" for part in ("url", "port", "secret")}
"""Former names of settings that now belong to a group."""

logger = logging.getLogger(__name__)
_warned: set[str] = set()


def data_folder() -> Path:
    """The default data folder, or its former path until the server has moved the folder."""
    folder = user_data_path(NAME, appauthor=False)
    former = user_data_path(FORMER_NAME, appauthor=False)
    return former if former.is_dir() and not folder.exists() else folder


def former_sources(kind: type[BaseSettings]) -> tuple[PydanticBaseSettingsSource, ...]:
    """Sources of settings. They read the former name of a setting if the new name is not set."""
    return _FormerEnvironment(kind), _FormerDotEnv(kind)


class _FormerEnvironment(EnvSettingsSource):
    def _load_env_vars(self) -> Mapping[str, str | None]:
        return _renamed(super()._load_env_vars())


class _FormerDotEnv(DotEnvSettingsSource):
    def _read_env_files(self) -> Mapping[str, str | None]:
        return _renamed(super()._read_env_files())


def _renamed(variables: Mapping[str, str | None]) -> dict[str, str | None]:
    """The variables that are set under a former name, each with its new name. A process warns once of each such
    variable."""
    former = {name: new for name in variables if (new := _new(name.lower())) is not None}
    for name, new in sorted(former.items()):
        if name.upper() not in _warned:
            _warned.add(name.upper())
            logger.warning("%s is read as %s in this release only; rename it", name.upper(), new.upper())
    return {new: variables[name] for name, new in former.items()}


def _new(name: str) -> str | None:
    """The new name for a former name. None if `name` is not a former name."""
    prefix = f"{FORMER_NAME}_"
    return f"{NAME}_{name.removeprefix(prefix)}" if name.startswith(prefix) else _GROUPED.get(name)
