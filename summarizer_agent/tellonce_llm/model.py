"""The interface for asking a language model of any provider."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from tellonce.work import Tier

FileKind = Literal["image", "pdf", "text"]


@dataclass(frozen=True, slots=True)
class File:
    """A file shown with a message. A `text` file is UTF-8."""

    kind: FileKind
    mime: str
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation in a request. A model leaves out the files that it cannot read."""

    role: Literal["user", "assistant"]
    content: str
    files: tuple[File, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemBlock:
    """A piece of the system prompt. With `cache`, the provider may cache the prompt up to the end of this piece."""

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A request. `timeout`, in seconds, limits the whole answer of `complete`, and each piece of `stream`.

    With `json_schema` (the schema of an object), the text is JSON of this schema. The caller must validate the text,
    because providers do not enforce ranges and lengths.
    """

    turns: tuple[Turn, ...]
    system: tuple[SystemBlock, ...] = ()
    max_tokens: int = 1024
    json_schema: Mapping[str, Any] | None = None
    timeout: float = 15.0
    together: str | None = None
    """Requests with the same value may share a call; a request with None is asked alone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's text and its cost; `price_usd` is None if the price is unknown."""

    text: str
    model: str
    tier: Tier
    input_tokens: int
    output_tokens: int
    seconds: float
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    price_usd: float | None = None
    truncated: bool = False
    """The model reached max_tokens, so the text ends in the middle."""


class LanguageModel(Protocol):
    """A language model that answers requests."""

    @property
    def name(self) -> str:
        """The model's own name, such as `claude-haiku-4-5`."""
        ...

    @property
    def tier(self) -> Tier:
        """The tier to which the model belongs. `tellonce.work` lists the tiers, best first."""
        ...

    async def complete(self, request: Completion) -> Answer:
        """The whole answer. Raises LLMUnavailable or LLMUnusable."""
        ...

    def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """Yield pieces of text as they arrive, and then one Answer with the whole text. Raises as `complete` does."""
        ...


@runtime_checkable
class ReadsFiles(Protocol):
    """A model that can read files."""

    async def reads(self) -> frozenset[FileKind]:
        """The kinds of files that the model can read; empty while this is unknown."""
        ...


async def readable(model: object) -> frozenset[FileKind]:
    """The kinds of files that a model can read."""
    return await model.reads() if isinstance(model, ReadsFiles) else frozenset()


class Wrapped:
    """A wrapper around a model: it has the model's name, tier and kinds of files, and passes requests to the model."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def tier(self) -> Tier:
        return self._model.tier

    async def reads(self) -> frozenset[FileKind]:
        return await readable(self._model)

    async def complete(self, request: Completion) -> Answer:
        return await self._model.complete(request)

    def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        return self._model.stream(request)


def ask(user: str, *, system: str = "", timeout: float = 15.0) -> Completion:
    """A minimal request: one user message and optionally a system prompt."""
    blocks = (SystemBlock(system),) if system else ()
    return Completion((Turn("user", user),), system=blocks, timeout=timeout)


T = TypeVar("T")


async def paced(source: AsyncIterator[T], seconds: float) -> AsyncIterator[T]:
    """The items of `source`. Raises TimeoutError if the next item takes longer than `seconds`."""
    while True:
        try:
            async with asyncio.timeout(seconds):
                item = await anext(source)
        except StopAsyncIteration:
            return
        yield item
