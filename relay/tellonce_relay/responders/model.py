"""Answers with a language model: Claude, Ollama, or the first of several that is available."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from tellonce.client import MemoryClient
from tellonce_llm.breaker import Breaker
from tellonce_llm.errors import LLMError, LLMUnavailable
from tellonce_llm.fallback import FirstAvailable, NoModelAnswered
from tellonce_llm.model import Answer, Completion, FileKind, LanguageModel, SystemBlock, Wrapped, readable
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.responders.responder import CannotAnswer

Model = LanguageModel | FirstAvailable


class ModelResponder:
    """`seconds` is the maximum wait for the next piece of an answer. `breakers` are the circuit breakers of the models
    in `model`."""

    claims = True

    def __init__(self, model: Model, seconds: float, breakers: Sequence[Breaker] = ()) -> None:
        self._model = model
        self._seconds = seconds
        self._breakers = breakers

    @property
    def name(self) -> str:
        return self._model.name

    async def reads(self) -> frozenset[FileKind]:
        return await readable(self._model)

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """Raises CannotAnswer if the stream breaks off, even if much of the answer has arrived."""
        try:
            async for piece in self._model.stream(prompt.completion(self._seconds)):
                yield piece
        except NoModelAnswered as error:
            # A pause of a failing model lets another model answer. Here no model answered, so the pauses end, and the
            # caller decides when to try again.
            for breaker in self._breakers:
                breaker.end_own_pause()
            raise CannotAnswer(str(error), error.cause, error.retry_after) from error
        except LLMError as error:
            wait = error.retry_after if isinstance(error, LLMUnavailable) else None
            raise CannotAnswer(str(error), error.cause, wait) from error


class SingleSystemPrompt(Wrapped):
    """Sends one system message, because the templates of some local models keep only the first."""

    async def complete(self, request: Completion) -> Answer:
        return await super().complete(_joined(request))

    def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        return super().stream(_joined(request))


def _joined(request: Completion) -> Completion:
    text = "\n\n".join(block.text for block in request.system)
    return replace(request, system=(SystemBlock(text),) if text else ())
