"""Selects the responder by the settings. A provider's SDK is imported only if it is used."""

import importlib
from collections.abc import Awaitable, Callable, Sequence

from tellonce.client_settings import RelaySettings
from tellonce.journal import Emit, silent
from tellonce.settings import SettingsError
from tellonce_llm import FirstAvailable, Guarded, LanguageModel, LLMError, ask
from tellonce_relay.responders.claude_cli import ClaudeCli, MemoryAccess
from tellonce_relay.responders.model import InOnePiece, ModelResponder
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import Responder


def choose(settings: RelaySettings, emit: Emit = silent) -> Responder:
    """Return the responder that the settings name. If it has several models, `emit` gets an event for each failure
    of a model.

    Raises: SettingsError: a setting that the responder needs is missing.
    """
    if settings.responder == "claude-cli":
        return ClaudeCli(settings.claude_command, settings.model_seconds, _access(settings))
    models = _models(settings)
    if not models:
        return OfflineResponder()
    if len(models) == 1:
        return ModelResponder(models[0], settings.model_seconds)
    report = _reporting(models, emit)
    apart = lambda: FirstAvailable([Guarded(model) for model in models], report)  # noqa: E731
    return ModelResponder(FirstAvailable(models), settings.model_seconds, apart)


def _reporting(models: Sequence[LanguageModel], emit: Emit) -> Callable[[LanguageModel, LLMError], None]:
    names = [model.name for model in models]

    def report(model: LanguageModel, error: LLMError) -> None:
        after = names[names.index(model.name) + 1 :]
        emit("model_fallback", model=model.name, to=after[0] if after else None, reason=type(error).__name__)

    return report


def _models(settings: RelaySettings) -> Sequence[LanguageModel]:
    match settings.responder:
        case "offline" | "claude-cli":
            return ()
        case "anthropic":
            return (_claude(settings),)
        case "ollama":
            return (_ollama(settings),)
        case "auto":
            found: list[LanguageModel] = []
            if settings.anthropic_api_key is not None:
                found.append(_claude(settings))
            if settings.ollama_url is not None:
                found.append(_ollama(settings))
            return found


def _access(settings: RelaySettings) -> MemoryAccess | None:
    """Return access to the memory with the default user's token; None if this machine does not have the token."""
    try:
        return MemoryAccess(settings.url, settings.bearer("assistant"), settings.default_user)
    except SettingsError:
        return None


def _claude(settings: RelaySettings) -> LanguageModel:
    if settings.anthropic_api_key is None:
        raise SettingsError("TELLONCE_RESPONDER=anthropic needs ANTHROPIC_API_KEY.")
    make = importlib.import_module("tellonce_llm.claude").Claude
    key = settings.anthropic_api_key.get_secret_value()
    model: LanguageModel = make(key, settings.model, base_url=settings.anthropic_base_url)
    return model


def _ollama(settings: RelaySettings) -> LanguageModel:
    if settings.ollama_url is None:
        raise SettingsError("TELLONCE_RESPONDER=ollama needs OLLAMA_HOST.")
    make = importlib.import_module("tellonce_llm.ollama").Ollama
    return InOnePiece(make(settings.ollama_url, settings.ollama_model))


def summariser(settings: RelaySettings, seconds: float) -> Callable[[str], Awaitable[str]] | None:
    """A function that asks the local model; None if no local model is configured."""
    if settings.ollama_url is None:
        return None
    model = Guarded(_ollama(settings))

    async def complete(text: str) -> str:
        return (await model.complete(ask(text, timeout=seconds))).text

    return complete
