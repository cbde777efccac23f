"""Asks the model, retries while a retry can help, and continues interrupted answers."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from tellonce.backoff import backoff
from tellonce_llm.errors import Cause
from tellonce_relay.catalogue import phrase
from tellonce_relay.responders.responder import CannotAnswer
from tellonce_relay.turn.tags import finished

ResultT = TypeVar("ResultT")

PASSING = ("busy", "away")
"""Causes of failure that may end within seconds."""

_OVERLAP = 12
"""Minimum number of characters that two parts of an answer must share to count as a repetition."""

_LONGEST_OVERLAP = 400
_LONGEST_WORD = 40


@dataclass
class Progress:
    """The text that the model has produced so far. The text is kept if the stream breaks off."""

    said: str = ""

    def broke_off(self) -> None:
        """Keep only the complete part, without half a tag or half a word."""
        self.said = whole_words(self.said)


@dataclass(frozen=True)
class Persistence:
    """How long a turn retries while the person sees the typing indicator. Times are in seconds."""

    first_pause: float = 1.0
    longest_pause: float = 15.0
    total: float = 45.0
    jitter: Callable[[], float] = random.random

    def pause(self, error: CannotAnswer, tried: int, waited: float) -> float | None:
        """The pause before the next try; None if the person is informed instead."""
        if error.cause not in PASSING:
            return None
        own = backoff(tried + 1, self.first_pause, self.longest_pause, self.jitter)
        pause = max(own, error.retry_after or 0.0)
        return pause if waited + pause <= self.total else None

    @property
    def briefly(self) -> "Persistence":
        """A copy with a tenth of the total time. It is for an answer that the caller itself retries later."""
        return replace(self, total=self.total / 10)


PATIENT = Persistence()


async def with_model_retries(
    call: Callable[[], Awaitable[ResultT]],
    persistence: Persistence,
    failed: Callable[[CannotAnswer, float], None],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ResultT:
    """The call's result. `failed` gets each error that is followed by a pause. Raises the last CannotAnswer."""
    tried, waited = 0, 0.0
    while True:
        try:
            return await call()
        except CannotAnswer as error:
            pause = persistence.pause(error, tried, waited)
            if pause is None:
                raise
            failed(error, pause)
        await sleep(pause)
        tried, waited = tried + 1, waited + pause


def whole_words(cut_off: str) -> str:
    """Return an interrupted answer up to its last complete word and the blank after this word."""
    text = finished(cut_off)
    tail = text[-_LONGEST_WORD:]
    blank = max((i for i, character in enumerate(tail) if character.isspace()), default=None)
    return text if blank is None else text[: len(text) - len(tail) + blank + 1]


def joined(begun: str, more: str) -> str:
    """Join two parts of an answer. If the second part repeats the end of the first, the repeated text appears once."""
    most = min(len(begun), len(more), _LONGEST_OVERLAP)
    same = next((n for n in range(most, _OVERLAP - 1, -1) if begun.endswith(more[:n])), 0)
    rest = more[same:]
    return begun + (rest.lstrip(" ") if begun.endswith((" ", "\n")) else rest)


STOPPED_HERE: Final = " … [the user stopped this answer here]"
"""Appended to a stopped answer, but only in the memory, so that a model knows why the answer ends."""


def trouble(cause: Cause, *, owed: bool) -> str:
    """The sentence that names the cause and says whether the answer will follow."""
    if cause == "refused":
        return phrase("turn.would_not")
    return f"{phrase(f'trouble.{cause}')} {phrase('trouble.owed' if owed else 'trouble.ask_again')}"
