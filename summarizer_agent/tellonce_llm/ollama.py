"""A local model through Ollama."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import httpx
import ollama

from tellonce.work import Tier
from tellonce_llm.errors import LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion, FileKind, Turn, paced

# Ollama silently truncates prompts that are longer than its context size. All requests use this size, because Ollama
# reloads the model when the size changes.
CONTEXT_TOKENS = 8192

_FAILURES = (
    ollama.ResponseError,
    ollama.RequestError,
    httpx.HTTPError,
    httpx.InvalidURL,
    ConnectionError,
    TimeoutError,
    ValueError,
    TypeError,
    AttributeError,  # raised when the body is JSON but not an object
)

_ABOUT_THE_MODEL = re.compile(
    r"model requires more system memory[^\n]{0,80}|out of memory|does not support \w+|unable to load model|runner process[^\n]{0,60}"
)


class Ollama:
    """One local model. The price of a call is 0."""

    tier: Tier = "ollama"

    def __init__(self, url: str, model: str) -> None:
        # By default, the SDK has no timeout. `trust_env=False` ignores the environment's proxies, because no proxy must
        # be used for a service on this machine.
        self._client = ollama.AsyncClient(host=url, timeout=httpx.Timeout(120.0, connect=5.0), trust_env=False)
        # The SDK's overloads are only partly typed: the result of `chat` depends on `stream`.
        self._chat = cast("Callable[..., Awaitable[Any]]", self._client.chat)  # pyright: ignore[reportUnknownMemberType]
        self._model = model
        self._reads: frozenset[FileKind] | None = None

    @property
    def name(self) -> str:
        """The model's name, e.g. `llama3.2`."""
        return self._model

    async def reads(self) -> frozenset[FileKind]:
        """The model reads texts, and it reads images if the server says so."""
        if self._reads is None:
            try:
                shown = await self._client.show(self._model)
            except _FAILURES:
                return frozenset(("text",))
            self._reads = frozenset(("text", "image") if "vision" in (shown.capabilities or ()) else ("text",))
        return self._reads

    async def complete(self, request: Completion) -> Answer:
        """The whole answer. Raises LLMUnavailable, or LLMUnusable for truncated JSON or an empty answer."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout):
                response: ollama.ChatResponse = await self._chat(**await self._parameters(request), stream=False)
            text = response.message.content or ""
        except _FAILURES as error:
            raise _translated(self._model, error) from error
        return _checked(_answer(self._model, text, response, time.monotonic() - started), request)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """Yield text, then an Answer. Raises as `complete` does, and LLMUnavailable for an early end."""
        started = time.monotonic()
        pieces: list[str] = []
        last: ollama.ChatResponse | None = None
        try:
            async with asyncio.timeout(request.timeout):
                parts: AsyncIterator[ollama.ChatResponse] = await self._chat(
                    **await self._parameters(request), stream=True
                )
            async for part in paced(parts, request.timeout):
                last = part
                if part.message.content:
                    pieces.append(part.message.content)
                    yield part.message.content
        except _FAILURES as error:
            raise _translated(self._model, error) from error
        if last is None or not last.done:
            raise LLMUnavailable(self._model, "the stream ended before the answer did")
        yield _checked(_answer(self._model, "".join(pieces), last, time.monotonic() - started), request)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()  # type: ignore[no-untyped-call]  # the SDK's own

    async def _parameters(self, request: Completion) -> dict[str, Any]:
        system = [{"role": "system", "content": block.text} for block in request.system]
        reads = await self.reads() if any(turn.files for turn in request.turns) else frozenset[FileKind]()
        turns = [_message(turn, reads) for turn in request.turns]
        return {
            "model": self._model,
            "messages": [*system, *turns],
            "format": dict(request.json_schema) if request.json_schema is not None else None,
            "options": {"num_ctx": CONTEXT_TOKENS, "num_predict": request.max_tokens, "temperature": 0.2},
            "keep_alive": "30m",
            "think": False,  # a small local model would think longer than the time limit
        }


def _message(turn: Turn, reads: frozenset[FileKind]) -> dict[str, Any]:
    texts = [f"{f.name}:\n{f.data.decode(errors='replace')}" for f in turn.files if f.kind == "text"]
    images = [f.data for f in turn.files if f.kind == "image" and f.kind in reads]
    message: dict[str, Any] = {"role": turn.role, "content": "\n\n".join([*texts, turn.content])}
    return message | ({"images": images} if images else {})


def _answer(model: str, text: str, response: ollama.ChatResponse, seconds: float) -> Answer:
    return Answer(
        text=text,
        model=response.model or model,
        tier="ollama",
        input_tokens=response.prompt_eval_count or 0,
        output_tokens=response.eval_count or 0,
        seconds=seconds,
        price_usd=0.0,
        truncated=response.done_reason == "length",
    )


def _checked(answer: Answer, request: Completion) -> Answer:
    if not answer.text.strip():
        raise LLMUnusable(answer.model, "an empty answer", answer=answer)
    if answer.truncated and request.json_schema is not None:
        raise LLMUnusable(answer.model, "JSON cut off at max_tokens", answer=answer)
    return answer


def _translated(model: str, error: Exception) -> LLMError:
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return LLMUnavailable(model, "no answer in time")
    if isinstance(error, ollama.ResponseError):
        return _response_error(model, error)
    if isinstance(error, ConnectionError | httpx.ConnectError):
        return LLMUnavailable(model, "no Ollama server can be reached")
    return LLMUnavailable(model, f"no readable answer ({type(error).__name__})")


def _response_error(model: str, error: ollama.ResponseError) -> LLMError:
    if error.status_code == 404:
        return LLMUnavailable(model, f"not on this Ollama server; get it with `ollama pull {model}`", cause="model")
    about_it = _ABOUT_THE_MODEL.search(error.error)
    reason = f"HTTP {error.status_code}{f': {about_it[0]}' if about_it else ''}"
    if error.status_code == 400:
        return LLMUnusable(model, reason)
    return LLMUnavailable(model, reason, cause="busy" if error.status_code in (429, 503) else "away")
