"""An answer of the model that is asked for again while that may help, and goes on where it broke off."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from tellonce_relay.responders.responder import CannotAnswer
from tellonce_relay.turn.tags import finished

ResultT = TypeVar("ResultT")

PASSING = ("busy", "away")
"""Causes that may be gone in a moment."""

_OVERLAP = 12
"""Characters that two parts of an answer must share before they count as repeated."""

_LONGEST_OVERLAP = 400
_LONGEST_WORD = 40


@dataclass
class Progress:
    """What the model said so far; it outlives a stream that breaks off."""

    said: str = ""

    def broke_off(self) -> None:
        """Keep what is whole: no half tag and no half word."""
        self.said = whole(self.said)


@dataclass(frozen=True)
class Persistence:
    """How long a turn asks again while the person watches it type. Times are seconds."""

    first_pause: float = 1.0
    longest_pause: float = 15.0
    total: float = 45.0
    jitter: Callable[[], float] = random.random

    def pause(self, error: CannotAnswer, tried: int, waited: float) -> float | None:
        """Before the next try; None when the person should be told instead. The provider's own wish counts."""
        if error.cause not in PASSING:
            return None
        own = min(self.longest_pause, self.first_pause * 2.0**tried) * (0.5 + 0.5 * self.jitter())
        pause = max(own, error.retry_after or 0.0)
        return pause if waited + pause <= self.total else None

    @property
    def briefly(self) -> "Persistence":
        """For an answer that is owed: nobody watches, and it is asked for again later."""
        return replace(self, total=self.total / 10)


PATIENT = Persistence()


async def persistently(
    call: Callable[[], Awaitable[ResultT]],
    persistence: Persistence,
    failed: Callable[[CannotAnswer, float], None],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ResultT:
    """The call's result. `failed` gets each failure that is tried again, and the pause. Raises the last CannotAnswer."""
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


def whole(cut_off: str) -> str:
    """An answer that broke off, up to its last whole word, with the blank behind it."""
    text = finished(cut_off)
    tail = text[-_LONGEST_WORD:]
    blank = max((i for i, character in enumerate(tail) if character.isspace()), default=None)
    return text if blank is None else text[: len(text) - len(tail) + blank + 1]


def continued(begun: str, more: str) -> str:
    """The two as one text; what the second repeats of the first's end stands once."""
    most = min(len(begun), len(more), _LONGEST_OVERLAP)
    same = next((n for n in range(most, _OVERLAP - 1, -1) if begun.endswith(more[:n])), 0)
    rest = more[same:]
    return begun + (rest.lstrip(" ") if begun.endswith((" ", "\n")) else rest)
