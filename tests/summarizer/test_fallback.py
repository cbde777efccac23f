"""The circuit breaker and the first available model, with scripted models and a scripted clock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce.work import Tier
from tellonce_llm.breaker import Breaker, Guarded
from tellonce_llm.errors import LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.fallback import FirstAvailable, NoModelAnswered
from tellonce_llm.model import Answer, Completion, LanguageModel, ask
from tellonce_llm.prices import price_of

pytestmark = pytest.mark.anyio


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Scripted:
    """A model that first fails once with each of its `failures`, and then answers with its name."""

    name: str
    failures: list[LLMError] = field(default_factory=list)
    pieces_before_failure: int = 0
    calls: int = 0
    tier: Tier = "claude"

    async def complete(self, request: Completion) -> Answer:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return Answer(self.name, self.name, self.tier, 1, 1, 0.0)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        self.calls += 1
        for _ in range(self.pieces_before_failure):
            yield "piece "
        if self.failures:
            raise self.failures.pop(0)
        yield self.name
        yield Answer(self.name, self.name, self.tier, 1, 1, 0.0)


def down(name: str = "x", retry_after: float | None = None) -> LLMUnavailable:
    return LLMUnavailable(name, "down", retry_after=retry_after)


async def drain(model: LanguageModel | FirstAvailable) -> list[str | Answer]:
    return [piece async for piece in model.stream(ask("hi"))]


async def test_the_first_model_that_answers_wins_and_failures_are_reported() -> None:
    told: list[str] = []
    first, second = Scripted("first", [down("first")]), Scripted("second")
    both = FirstAvailable([first, second], on_failure=lambda model, error: told.append(f"{model.name} {error}"))
    assert (await drain(both))[0] == "second"
    assert told == ["first first: down"]
    assert (await drain(both))[0] == "first"


async def test_an_unusable_answer_also_goes_to_the_next_model() -> None:
    both = FirstAvailable([Scripted("first", [LLMUnusable("first", "refused")]), Scripted("second")])
    assert (await drain(both))[0] == "second"


async def test_when_all_fail_every_reason_is_named() -> None:
    both = FirstAvailable([Scripted("a", [down("a")]), Scripted("b", [LLMUnusable("b", "refused")])])
    with pytest.raises(NoModelAnswered, match=r"a: down; b: refused"):
        await drain(both)
    with pytest.raises(NoModelAnswered, match="none is configured"):
        await drain(FirstAvailable([]))


async def test_a_stream_moves_on_only_while_nothing_was_shown() -> None:
    fresh = FirstAvailable([Scripted("a", [down()]), Scripted("b")])
    assert (await drain(fresh))[0] == "b"
    begun = FirstAvailable([Scripted("a", [down()], pieces_before_failure=1), Scripted("b")])
    with pytest.raises(LLMUnavailable):
        await drain(begun)


async def test_a_guarded_model_is_left_alone_after_an_outage_and_asked_again_later() -> None:
    clock = Clock()
    inner = Scripted("m", [down()])
    model = Guarded(inner, Breaker(first_rest=10, clock=clock, jitter=lambda: 1.0))
    for _ in range(3):
        with pytest.raises(LLMUnavailable):
            await model.complete(ask("hi"))
    assert inner.calls == 1
    clock.now += 10
    assert (await model.complete(ask("hi"))).text == "m"
    assert model.breaker.rest_seconds() == 0


@dataclass
class Hanging(Scripted):
    """Like Scripted, but after its failures, it does not complete its answers."""

    async def complete(self, request: Completion) -> Answer:
        await super().complete(request)
        return await asyncio.Future[Answer]()


async def test_a_cancelled_probe_does_not_make_the_provider_rest() -> None:
    clock = Clock()
    model = Guarded(Hanging("m", [down()]), Breaker(first_rest=10, clock=clock, jitter=lambda: 1.0))
    with pytest.raises(LLMUnavailable):
        await model.complete(ask("hi"))
    clock.now += 10
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await model.complete(ask("hi"))
    assert model.breaker.rest_seconds() == 0


async def test_a_stream_that_is_closed_during_the_probe_does_not_make_the_provider_rest() -> None:
    clock = Clock()
    inner = Scripted("m", [down()])
    model = Guarded(inner, Breaker(first_rest=10, clock=clock, jitter=lambda: 1.0))
    with pytest.raises(LLMUnavailable):
        await drain(FirstAvailable([model]))
    clock.now += 10
    inner.pieces_before_failure = 1
    async with aclosing(model.stream(ask("hi"))) as pieces:
        assert await anext(pieces) == "piece "
    assert model.breaker.rest_seconds() == 0


def test_a_pause_that_the_provider_requested_outlasts_the_end_of_our_own_pauses() -> None:
    breaker = Breaker(clock=Clock())
    for wish in (60, None, 20):
        breaker.failed(wish)
    breaker.end_own_pause()
    assert breaker.rest_seconds() == 60
    other = Breaker(clock=Clock())
    other.failed()
    other.end_own_pause()
    assert other.rest_seconds() == 0


async def test_an_unusable_answer_does_not_rest_the_provider() -> None:
    model = Guarded(Scripted("m", [LLMUnusable("m", "refused")]))
    with pytest.raises(LLMUnusable):
        await model.complete(ask("hi"))
    assert (await model.complete(ask("hi"))).text == "m"


async def test_a_broken_stream_rests_the_provider() -> None:
    model = Guarded(Scripted("m", [down()], pieces_before_failure=2))
    with pytest.raises(LLMUnavailable):
        await drain(model)
    assert model.breaker.rest_seconds() > 0


@given(failures=st.integers(1, 60), jitter=st.floats(0, 0.999), wish=st.none() | st.floats(0, 1e9))
def test_a_rest_grows_with_failures_and_never_exceeds_its_limit(
    failures: int, jitter: float, wish: float | None
) -> None:
    breaker = Breaker(first_rest=5, longest_rest=300, clock=Clock(), jitter=lambda: jitter)
    for _ in range(failures):
        breaker.failed(wish)
    assert min(300, 5 * 2 ** (failures - 1)) / 2 <= breaker.rest_seconds() <= 300
    if wish is not None:
        assert breaker.rest_seconds() >= min(wish, 300)
    breaker.succeeded()
    assert breaker.rest_seconds() == 0


def test_prices_know_dated_names_and_dearer_long_prompts() -> None:
    assert price_of("claude-haiku-4-5-20251001") == price_of("claude-haiku-4-5")
    short, long = price_of("claude-haiku-5-5", 1000), price_of("claude-haiku-5-5", 200_000)
    assert short is not None
    assert long is not None
    assert long.input == 5 * short.input
    assert price_of("llama3.2") is None
