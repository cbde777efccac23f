"""The one shape in which tellonce asks a language model and is answered; knows no provider."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

Tier = Literal["claude", "claude-cli", "ollama", "keep"]
"""Who answers, the best first; `keep` is no model at all."""


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
    """One message of the conversation shown to the model. A model leaves out the files it cannot read."""

    role: Literal["user", "assistant"]
    content: str
    files: tuple[File, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemBlock:
    """A piece of the system prompt; with `cache`, the provider may keep everything up to its end for later requests."""

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A request: what the model is told and what we accept back.

    `timeout` is in seconds: for `complete` the whole answer, for `stream` the longest wait for the first and each
    further piece. With `json_schema` (an object schema) the text of the answer is JSON meant to fit it; providers do
    not enforce ranges and lengths, so validate.
    """

    turns: tuple[Turn, ...]
    system: tuple[SystemBlock, ...] = ()
    max_tokens: int = 1024
    json_schema: Mapping[str, Any] | None = None
    timeout: float = 15.0
    together: str | None = None
    """Requests with the same mark may be asked in one call; None for one that is to be asked alone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said and what it cost; `price_usd` is None where no price is known."""

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
    """The model hit max_tokens: the text stops in the middle."""


class LanguageModel(Protocol):
    """Something that answers completions."""

    @property
    def name(self) -> str:
        """The model's own name, e.g. `claude-haiku-4-5`."""
        ...

    @property
    def tier(self) -> Tier:
        """Where it stands on the ladder."""
        ...

    async def complete(self, request: Completion) -> Answer:
        """The whole answer at once. Raises LLMUnavailable or LLMUnusable."""
        ...

    def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """Pieces of text as they come, then exactly one Answer holding all of them. Raises as `complete` does."""
        ...


@runtime_checkable
class ReadsFiles(Protocol):
    """A model that can be shown files."""

    async def reads(self) -> frozenset[FileKind]:
        """The kinds it can read; empty while that cannot be found out."""
        ...


async def readable(model: LanguageModel) -> frozenset[FileKind]:
    """The kinds of files a model can read."""
    return await model.reads() if isinstance(model, ReadsFiles) else frozenset()


def ask(user: str, *, system: str = "", max_tokens: int = 1024, timeout: float = 15.0) -> Completion:
    """The plainest request: one user message, perhaps a system prompt."""
    blocks = (SystemBlock(system),) if system else ()
    return Completion((Turn("user", user),), system=blocks, max_tokens=max_tokens, timeout=timeout)
