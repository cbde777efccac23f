"""What the turn asks of whoever answers."""

from collections.abc import AsyncIterator
from typing import Protocol

from tellonce.client import MemoryClient
from tellonce_llm import Answer
from tellonce_relay.incoming import Incoming
from tellonce_relay.prompt import Prompt


class CannotAnswer(Exception):
    """Nobody can answer now; the text is for the log, not for the person."""


class WouldNotAnswer(CannotAnswer):
    """The model is well and would not answer this: asked the same in a minute it would not either."""


class Responder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def claims(self) -> bool:
        """Whether an answer is a model's own words, in which tags count. One that quotes the memory claims nothing."""
        ...

    def answer(self, prompt: Prompt, incoming: Incoming, memory: MemoryClient) -> AsyncIterator[str | Answer]:
        """Pieces of the answer as they come, and at the end what it cost, where that is known. Raises CannotAnswer."""
        ...
