"""The interface of responders."""

from collections.abc import AsyncIterator
from typing import Protocol

from tellonce.client import MemoryClient
from tellonce_llm.errors import Cause
from tellonce_llm.model import Answer, FileKind
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.responders.prompt import Prompt


class CannotAnswer(Exception):
    """There is no answer, or only a part of one. The text is for the log. `retry_after` is the pause that the provider
    requests, in seconds. The cause `refused` means that the same request would be refused again."""

    def __init__(self, reason: str, cause: Cause = "away", retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.cause: Cause = cause
        self.retry_after = retry_after


class Responder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def claims(self) -> bool:
        """Whether the answers are a model's own words. Only then are the tags in an answer carried out."""
        ...

    async def reads(self) -> frozenset[FileKind]:
        """The kinds of files that the responder can read."""
        ...

    def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """Yield pieces of the answer and, if known, its cost at the end. Raises CannotAnswer."""
        ...
