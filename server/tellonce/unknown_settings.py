"""Finds settings without effect. A misspelled name is reported with the most similar name of a setting. A setting that
this release has removed is reported with advice."""

import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from pydantic import AliasChoices
from pydantic.fields import FieldInfo
from pydantic_settings import DotEnvSettingsSource

from tellonce import shutdown
from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.former_name import FORMER_NAME
from tellonce.settings import Group, ServerSettings

PREFIX = "TELLONCE_"
_SIMILARITY = 0.85
"""Minimum similarity (difflib's ratio) of a misspelled name; `TELEGRAM_USERS_ID` has 0.97."""


REMOVED = {
    ("TELLONCE_EMBEDDINGS", "ollama"): "set it to local, or to none to search by words alone",
    ("OLLAMA_EMBEDDING_MODEL", None): "remove it",
}
"""What to do about a removed setting, or about a removed value of a setting. Ollama no longer computes embeddings."""


def unknown_settings(environment: Mapping[str, str] | None = None, file: Path = Path(".env")) -> tuple[str, ...]:
    """A sentence for each setting without effect. An unknown variable is reported if its name begins with PREFIX. In
    the file, a name that is similar to a setting's name is enough."""
    known = known_names()
    written = _upper(DotEnvSettingsSource(ServerSettings, env_file=file).env_vars)
    set_here = _upper(os.environ if environment is None else environment)
    return (
        *_removed(set_here, "the environment"),
        *_removed(written, str(file)),
        *_unknown(sorted(name for name in set_here if name.startswith(PREFIX)), "the environment", known),
        *_unknown(sorted(written), str(file), known),
    )


def _upper(variables: Mapping[str, str | None]) -> dict[str, str | None]:
    return {name.upper(): value for name, value in variables.items()}


def _removed(variables: Mapping[str, str | None], where: str) -> Iterator[str]:
    for (name, value), advice in REMOVED.items():
        if name in variables and value in (None, variables[name]):
            written = f"{name}={value}" if value else name
            yield f"{written} in {where} has no effect, because the local model computes all embeddings; {advice}"


def _unknown(names: Iterable[str], where: str, known: frozenset[str]) -> Iterator[str]:
    for name in names:
        if name in known or name.startswith(f"{FORMER_NAME.upper()}_"):
            continue
        nearest = next(iter(get_close_matches(name, sorted(known), 1, _SIMILARITY)), None)
        if nearest is not None or name.startswith(PREFIX):
            advice = f"did you mean {nearest}?" if nearest else "docs/reference/settings.md lists the settings"
            yield f"{name} in {where} is not a setting and has no effect; {advice}"


def known_names() -> frozenset[str]:
    """Every variable that a process reads."""
    fields = (
        item for kind in (ServerSettings, SummarizerSettings, RelaySettings) for item in kind.model_fields.items()
    )
    return frozenset(
        {shutdown.PARENT_PIPE, *(variable for name, field in fields for variable in _variables(name, field))}
    )


def _variables(name: str, field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias
    names = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
    for one in names:
        yield str(one).upper()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Group):
            yield from (f"{one}__{part}".upper() for part in field.annotation.model_fields)
