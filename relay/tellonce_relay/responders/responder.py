"""What the turn asks of whoever answers."""

from collections.abc import AsyncIterator
from typing import Protocol

from tellonce.client import MemoryClient
from tellonce_llm import Answer, Cause, FileKind
from tellonce_relay.incoming import Incoming
from tellonce_relay.responders.prompt import Prompt


class CannotAnswer(Exception):
    """There is no answer, or not the whole of it; the text is for the log, not for the person.

    `retry_after`: seconds the provider asked us to wait. Of `refused` the model is well: asked the same again, it would
    refuse again.
    """

    def __init__(self, reason: str, cause: Cause = "away", retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.cause: Cause = cause
        self.retry_after = retry_after


class Responder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def claims(self) -> bool:
        """Whether an answer is a model's own words, in which tags count. One that quotes the memory claims nothing."""
        ...

    async def reads(self) -> frozenset[FileKind]:
        """The kinds of files it can be shown."""
        ...

    def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """Pieces of the answer as they come, and at the end what it cost, where that is known. Raises CannotAnswer."""
        ...
