"""The providers of language models. For each provider: the setting that it needs, and its client. A provider's SDK is
imported only when its client is created."""

import importlib
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from tellonce.client_settings import ClientSettings, SummarizerSettings
from tellonce.settings import SettingsError
from tellonce.work import TIERS, Tier
from tellonce_llm.model import LanguageModel


class Provider(NamedTuple):
    """`responder` is the provider's name in TELLONCE_RESPONDER. `needs` is the name of the setting that the provider
    needs, and `given` returns the value of this setting. `make` creates the client from the settings and the name of
    the Claude model."""

    responder: str
    needs: str
    given: Callable[[ClientSettings], object]
    make: Callable[[ClientSettings, str], LanguageModel]


def _claude(settings: ClientSettings, model: str) -> LanguageModel:
    key = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else ""
    return _client("claude", "Claude")(key, model, base_url=settings.anthropic_base_url)


def _ollama(settings: ClientSettings, _: str) -> LanguageModel:
    return _client("ollama", "Ollama")(settings.ollama_url, settings.ollama_model)


PROVIDERS: Final[Mapping[Tier, Provider]] = {
    "claude": Provider("anthropic", "ANTHROPIC_API_KEY", lambda settings: settings.anthropic_api_key, _claude),
    "ollama": Provider("ollama", "OLLAMA_HOST", lambda settings: settings.ollama_url, _ollama),
}
"""The providers by the tier of their models, best first."""


def configured(settings: ClientSettings) -> list[Tier]:
    """The tiers of the configured providers, best first."""
    return [tier for tier, provider in PROVIDERS.items() if provider.given(settings) is not None]


def learning_tiers(settings: SummarizerSettings) -> list[Tier]:
    """The tiers of the models that are used for learning, best first."""
    if settings.learner == "keep":
        return []
    found = [*configured(settings), *(["claude-cli"] if settings.asks_the_command else [])]
    return [tier for tier in TIERS if tier in found]


def model_of(tier: Tier, settings: ClientSettings, model: str) -> LanguageModel:
    """The model of this tier. Raises SettingsError if the setting that this tier needs is missing."""
    provider = PROVIDERS[tier]
    if provider.given(settings) is None:
        raise SettingsError(f"TELLONCE_RESPONDER={settings.responder} needs {provider.needs}.")
    return provider.make(settings, model)


def _client(module: str, name: str) -> Callable[..., LanguageModel]:
    made: Callable[..., LanguageModel] = getattr(importlib.import_module(f"tellonce_llm.{module}"), name)
    return made
