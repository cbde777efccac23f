"""Answers by a language model: Claude, Ollama, or the first of several that is there."""

from collections.abc import AsyncIterator

from tellonce.client import MemoryClient
from tellonce_llm import Answer, LanguageModel, LLMError, LLMUnusable, NoModelAnswered
from tellonce_relay.incoming import Incoming
from tellonce_relay.prompt import Prompt
from tellonce_relay.responders.responder import CannotAnswer, WouldNotAnswer


class ModelResponder:
    """`seconds`: the longest wait for the first and each further piece of an answer."""

    claims = True

    def __init__(self, model: LanguageModel, seconds: float) -> None:
        self._model = model
        self._seconds = seconds

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """As the protocol says; a stream that breaks off is no answer, however much of it came."""
        try:
            async for piece in self._model.stream(prompt.completion(self._seconds)):
                yield piece
        except LLMError as error:
            best = error.failures[0] if isinstance(error, NoModelAnswered) and error.failures else error
            kind = WouldNotAnswer if isinstance(best, LLMUnusable) else CannotAnswer
            raise kind(str(error)) from error
