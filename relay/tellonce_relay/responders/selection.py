"""Selects the responder by the settings. A provider's SDK is imported only if it is used."""

from collections.abc import Awaitable, Callable, Sequence
from zoneinfo import ZoneInfo

from tellonce.client_settings import RelaySettings
from tellonce.journal import Emit, silent
from tellonce.settings import SettingsError
from tellonce.work import TRAITS, Tier
from tellonce_llm.breaker import Guarded
from tellonce_llm.errors import LLMError
from tellonce_llm.fallback import FirstAvailable
from tellonce_llm.model import LanguageModel, ask
from tellonce_llm.providers import PROVIDERS, configured, model_of
from tellonce_relay.responders.claude_cli import ClaudeCli, MemoryAccess
from tellonce_relay.responders.model import ModelResponder, SingleSystemPrompt
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import Responder


def choose(settings: RelaySettings, emit: Emit = silent) -> Responder:
    """The responder that the settings name. `emit` gets a failing model's events. Raises SettingsError."""
    if settings.responder == "claude-cli":
        return ClaudeCli(settings.claude_command, settings.model_seconds, _access(settings))
    models = _models(settings)
    if not models:
        return OfflineResponder(ZoneInfo(settings.timezone))
    if len(models) == 1:
        return ModelResponder(models[0], settings.model_seconds)
    guarded = [Guarded(model) for model in models]
    return ModelResponder(_chain(guarded, emit), settings.model_seconds, [model.breaker for model in guarded])


def _chain(models: Sequence[Guarded], emit: Emit) -> FirstAvailable:
    names = [model.name for model in models]

    def report(model: LanguageModel, error: LLMError) -> None:
        after = names[names.index(model.name) + 1 :]
        emit("model_fallback", model=model.name, to=after[0] if after else None, reason=type(error).__name__)

    return FirstAvailable(models, report)


def _models(settings: RelaySettings) -> Sequence[LanguageModel]:
    match settings.responder:
        case "offline" | "claude-cli":
            return ()
        case "auto":
            return [_model(tier, settings) for tier in configured(settings)]
        case responder:
            return [_model(tier, settings) for tier, provider in PROVIDERS.items() if provider.responder == responder]


def _model(tier: Tier, settings: RelaySettings) -> LanguageModel:
    model = model_of(tier, settings, settings.model)
    return SingleSystemPrompt(model) if TRAITS[tier].local else model


def _access(settings: RelaySettings) -> MemoryAccess | None:
    """None if this machine does not have the default user's token."""
    try:
        return MemoryAccess(settings.url, settings.bearer("assistant"), settings.default_user)
    except SettingsError:
        return None


SUMMARY_SECONDS = 8.0
"""Maximum seconds for a summary of a message that was just sent."""


def summariser(settings: RelaySettings) -> Callable[[str], Awaitable[str]] | None:
    """A function that asks the local model; None if no local model is configured."""
    local: Tier | None = next((tier for tier in configured(settings) if TRAITS[tier].local), None)
    if local is None:
        return None
    model = Guarded(_model(local, settings))

    async def complete(text: str) -> str:
        return (await model.complete(ask(text, timeout=SUMMARY_SECONDS))).text

    return complete
