"""Claude through the Anthropic API. Importing this module takes 1.5 s of processor time, so the module is imported only
when Claude is asked."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import anthropic
import httpx2
from anthropic.types import Message

from tellonce.work import Tier
from tellonce_llm.claude_cli import content
from tellonce_llm.errors import Cause, LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion, FileKind, paced
from tellonce_llm.prices import price_of

DEFAULT_MODEL = "claude-haiku-4-5"

# Some failures of the SDK are not AnthropicErrors: a broken stream raises an error of httpx2, and an invalid body
# raises json's ValueError. A valid body that is neither a message nor a stream of events raises one of several built-in
# errors.
_FAILURES = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    TimeoutError,
    ValueError,
    RuntimeError,
    TypeError,
    AttributeError,
    AssertionError,
)
_REJECTED = frozenset({400, 413, 422})
_ABOUT_THE_ACCOUNT = frozenset({401, 402, 403, 404, 429, 529})
_NO_MONEY = "Your credit balance"
_CAUSES: dict[int, Cause] = {
    401: "key",
    402: "billing",
    403: "key",
    404: "model",
    429: "busy",
    503: "busy",
    529: "busy",
}
_USELESS_STOPS = frozenset({"refusal", "model_context_window_exceeded"})


class Claude:
    """One Claude model. The SDK's retries are off, because the SDK would obey even a very long retry-after."""

    tier: Tier = "claude"

    def __init__(self, api_key: str, model: str = DEFAULT_MODEL, *, base_url: str | None = None) -> None:
        self._client = anthropic.AsyncAnthropic(api_key=api_key, base_url=base_url, max_retries=0)
        # The overloads of `create` depend on `stream`; both type checkers reject them if the arguments are a mapping.
        self._create = cast("Callable[..., Awaitable[Message]]", self._client.messages.create)
        self._model = model

    @property
    def name(self) -> str:
        """The model's name, e.g. `claude-haiku-4-5`."""
        return self._model

    async def reads(self) -> frozenset[FileKind]:
        """All kinds of files."""
        return frozenset(("image", "pdf", "text"))

    async def complete(self, request: Completion) -> Answer:
        """The whole answer. Raises LLMUnavailable, or LLMUnusable for a refusal or truncated JSON."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout):
                message = await self._create(**_parameters(self._model, request))
            answer = _answer(message, time.monotonic() - started)
        except _FAILURES as error:
            raise _translated(self._model, error) from error
        return _checked(answer, message.stop_reason, request)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """Yield text, then an Answer. Raises as `complete` does, and LLMUnavailable for an early end."""
        started = time.monotonic()
        try:
            async with self._client.messages.stream(**_parameters(self._model, request)) as stream:
                async for text in paced(stream.text_stream, request.timeout):
                    yield text
                message = await stream.get_final_message()
            answer = _answer(message, time.monotonic() - started)
        except _FAILURES as error:
            raise _translated(self._model, error) from error
        if message.stop_reason is None:
            raise LLMUnavailable(self._model, "the stream ended before the answer did")
        yield _checked(answer, message.stop_reason, request)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()


def _parameters(model: str, request: Completion) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": [{"role": turn.role, "content": content(turn)} for turn in request.turns],
        "timeout": request.timeout,
    }
    if request.system:
        parameters["system"] = [_system_block(block.text, block.cache) for block in request.system]
    if request.json_schema is not None:
        schema = anthropic.transform_schema(dict(request.json_schema))
        parameters["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return parameters


def _system_block(text: str, cache: bool) -> dict[str, Any]:
    if cache:
        return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
    return {"type": "text", "text": text}


def _answer(message: Message, seconds: float) -> Answer:
    usage = message.usage
    written, read = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
    price = price_of(message.model, usage.input_tokens + written + read)
    return Answer(
        text="".join(block.text for block in message.content if block.type == "text"),
        model=message.model,
        tier="claude",
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=read,
        cache_write_tokens=written,
        seconds=seconds,
        price_usd=price.cost(usage.input_tokens, usage.output_tokens, written, read) if price else None,
        truncated=message.stop_reason == "max_tokens",
    )


def _checked(answer: Answer, stop_reason: str | None, request: Completion) -> Answer:
    if stop_reason in _USELESS_STOPS:
        raise LLMUnusable(answer.model, f"stopped with {stop_reason}", answer=answer)
    if answer.truncated and request.json_schema is not None:
        raise LLMUnusable(answer.model, "JSON cut off at max_tokens", answer=answer)
    return answer


def _translated(model: str, error: Exception) -> LLMError:
    if isinstance(error, anthropic.APIStatusError):
        return _status_error(model, error)
    if isinstance(error, TimeoutError | anthropic.APITimeoutError | httpx2.TimeoutException):
        return LLMUnavailable(model, "no answer in time")
    if isinstance(error, anthropic.APIConnectionError):
        return LLMUnavailable(model, "cannot be reached")
    return LLMUnavailable(model, f"no readable answer ({type(error).__name__})")


def _status_error(model: str, error: anthropic.APIStatusError) -> LLMError:
    message, kind = error.api_message or "no message", cast("str | None", error.type)
    costs = kind == "billing_error" or message.startswith(_NO_MONEY)
    said = message if costs or error.status_code in _ABOUT_THE_ACCOUNT else kind or "no kind"
    reason = f"HTTP {error.status_code}: {said}"[:200]
    if error.status_code in _REJECTED and not costs:
        return LLMUnusable(model, reason)
    cause: Cause = "billing" if costs else _CAUSES.get(error.status_code, _cause_of(kind))
    return LLMUnavailable(model, reason, cause=cause, retry_after=_retry_after(error))


def _cause_of(kind: str | None) -> Cause:
    """The cause of an error inside a stream, which has no HTTP status."""
    return "busy" if kind in ("overloaded_error", "rate_limit_error") else "away"


def _retry_after(error: anthropic.APIStatusError) -> float | None:
    text = error.response.headers.get("retry-after", "")
    return float(text) if text.replace(".", "", 1).isdigit() else None
