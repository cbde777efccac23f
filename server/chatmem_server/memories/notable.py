"""What the server asks of the scorer that finds the user's sentences worth keeping; knows no model."""

from collections.abc import Sequence
from typing import Protocol

from chatmem.work import NotableSentence, WorkMessage


class Notable(Protocol):
    async def notable(self, messages: Sequence[WorkMessage]) -> list[NotableSentence]:
        """The sentences of the user's own messages that are worth keeping, with their scores."""
        ...


class NothingNotable:
    """There is no scorer: without a language model nothing is kept but what is asked for."""

    async def notable(self, messages: Sequence[WorkMessage]) -> list[NotableSentence]:
        return []
