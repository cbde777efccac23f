"""Times calls, one after another or several at once, and computes their statistics."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

Call = Callable[[int], Awaitable[object]]
"""One call. The argument of a call is the number of the call, so that each call can differ."""


@dataclass(frozen=True)
class After:
    """Times `call`. Before each timed call, `before` is called and not timed."""

    before: Call
    call: Call

    def __call__(self, number: int) -> Awaitable[object]:
        return self.call(number)


@dataclass
class Timed:
    """The durations of single calls and of whole rounds, in seconds."""

    calls: list[float] = field(default_factory=list)
    busy: float = 0.0

    @property
    def per_second(self) -> float:
        return len(self.calls) / self.busy if self.busy else 0.0

    def at(self, share: float) -> float:
        """The percentile in milliseconds: this share of the calls took at most this time."""
        return 1000 * quantile(sorted(self.calls), share)

    def row(self) -> dict[str, float]:
        return {
            "n": len(self.calls),
            "min_ms": round(self.at(0), 2),
            "p50_ms": round(self.at(0.5), 2),
            "p95_ms": round(self.at(0.95), 2),
            "per_second": round(self.per_second, 1),
        }


def quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def run(call: Call, timed: Timed, *, count: int, at_once: int, first: int = 0) -> None:
    """Make calls with numbers from `first` upward. `count` is the number of calls, and `at_once` calls run
    concurrently."""
    numbers = iter(range(first, first + count))
    started = time.perf_counter()
    await asyncio.gather(*(_caller(call, timed, numbers) for _ in range(at_once)))
    timed.busy += time.perf_counter() - started


async def _caller(call: Call, timed: Timed, numbers: Iterator[int]) -> None:
    for number in numbers:
        if isinstance(call, After):
            await call.before(number)
        started = time.perf_counter()
        await call(number)
        timed.calls.append(time.perf_counter() - started)


async def interleaved(
    calls: dict[str, Call], *, rounds: int, count: int, at_once: int, first: int = 0
) -> dict[str, Timed]:
    """Alternate all calls, so that other load affects all equally."""
    found = {name: Timed() for name in calls}
    for number in range(rounds):
        for name, call in calls.items():
            await run(call, found[name], count=count, at_once=at_once, first=first + number * count)
    return found
