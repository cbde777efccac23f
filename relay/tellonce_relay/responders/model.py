"""Answers by a language model: Claude, Ollama, or the first of several that is there."""

from collections.abc import AsyncIterator, Callable

from tellonce.client import MemoryClient
from tellonce_llm import Answer, FileKind, LanguageModel, LLMError, LLMUnavailable, readable
from tellonce_relay.incoming import Incoming
from tellonce_relay.responders.prompt import Prompt
from tellonce_relay.responders.responder import CannotAnswer


class ModelResponder:
    """`seconds`: the longest wait for the first and each further piece of an answer.

    `apart` makes the model as one chat sees it, with its own memory of failures: what fails in one chat is still tried
    in the others.
    """

    claims = True

    def __init__(self, model: LanguageModel, seconds: float, apart: Callable[[], LanguageModel] | None = None) -> None:
        self._model = model
        self._seconds = seconds
        self._apart = apart or (lambda: model)
        self._by_chat: dict[int | None, LanguageModel] = {}

    @property
    def name(self) -> str:
        return self._model.name

    async def reads(self) -> frozenset[FileKind]:
        return await readable(self._model)

    async def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """As the protocol says; a stream that breaks off raises, however much of it came."""
        try:
            async for piece in self._model_of(incoming.chat_id).stream(prompt.completion(self._seconds)):
                yield piece
        except LLMError as error:
            wait = error.retry_after if isinstance(error, LLMUnavailable) else None
            raise CannotAnswer(str(error), error.cause, wait) from error

    def _model_of(self, chat_id: int | None) -> LanguageModel:
        if chat_id not in self._by_chat:
            self._by_chat[chat_id] = self._apart()
        return self._by_chat[chat_id]
