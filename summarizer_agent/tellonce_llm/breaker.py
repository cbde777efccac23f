"""Pauses requests to a failing provider. Each further failure makes the pause longer. A pause has jitter."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tellonce.backoff import backoff
from tellonce_llm.errors import Cause, LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion, LanguageModel, Wrapped


@dataclass
class Breaker:
    """Counts consecutive failures and says when to ask again. Times are seconds of `clock`."""

    first_rest: float = 5.0
    longest_rest: float = 300.0
    longest_probe: float = 30.0
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random
    """Returns a number in [0, 1). The pause is multiplied by `0.5 + 0.5 * jitter()`."""
    _failures: int = field(default=0, init=False)
    _until: float = field(default=float("-inf"), init=False)
    _requested: float = field(default=float("-inf"), init=False)
    """The end of the longest pause that the provider has requested."""

    def rest_seconds(self) -> float:
        """Seconds until the provider may be asked again; 0 if it may be asked now."""
        return max(0.0, self._until - self.clock())

    def begin_probe(self) -> bool:
        """After a pause, the first request is a probe. Others are refused until its result is known. Returns whether the
        request is a probe."""
        if self._failures:
            self._until = self.clock() + self.longest_probe
        return self._failures > 0

    def cancel_probe(self) -> None:
        """The probe was cancelled without a result, so the next request may be the probe."""
        self._until = float("-inf")

    def failed(self, retry_after: float | None = None) -> None:
        """`retry_after` is the pause that the provider requests. No pause exceeds `longest_rest`."""
        self._failures += 1
        rest, requested = backoff(self._failures, self.first_rest, self.longest_rest, self.jitter), retry_after or 0.0
        self._until = self.clock() + min(self.longest_rest, max(rest, requested))
        self._requested = max(self._requested, self.clock() + min(self.longest_rest, requested))

    def end_own_pause(self) -> None:
        """Allow requests again, except during a pause that the provider has requested."""
        self._failures, self._until = 0, self._requested

    def succeeded(self) -> None:
        """Record an answer, which ends the pause."""
        self._failures, self._until, self._requested = 0, float("-inf"), float("-inf")


class Guarded(Wrapped):
    """A language model behind a breaker. During a pause, requests fail at once with LLMUnavailable."""

    def __init__(self, model: LanguageModel, breaker: Breaker | None = None) -> None:
        super().__init__(model)
        self.breaker = breaker or Breaker()
        self._cause: Cause = "away"

    async def complete(self, request: Completion) -> Answer:
        """The model's answer. A failure of the provider is counted; an answer resets the count."""
        with self._noted():
            return await self._model.complete(request)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """The model's stream. A failure of the provider is counted; an answer resets the count."""
        with self._noted():
            async for piece in self._model.stream(request):
                yield piece

    @contextmanager
    def _noted(self) -> Generator[None]:
        self._refuse_while_resting()
        is_probe = self.breaker.begin_probe()
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            if is_probe:
                self.breaker.cancel_probe()
            raise
        except LLMUnavailable as error:
            if not error.this_only:
                self.breaker.failed(error.retry_after)
                self._cause = error.cause
            raise
        except LLMUnusable:
            self.breaker.succeeded()
            raise
        self.breaker.succeeded()

    def _refuse_while_resting(self) -> None:
        rest = self.breaker.rest_seconds()
        if rest > 0:
            reason = f"paused for {rest:.0f} s after a failure"
            raise LLMUnavailable(self.name, reason, cause=self._cause, retry_after=rest)
