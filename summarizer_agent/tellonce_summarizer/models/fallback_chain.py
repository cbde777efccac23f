"""The chain of models, from Claude to no model at all. It reports each call with its cost or failure."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from tellonce import tracing, work
from tellonce.journal import Emit
from tellonce.work import KEEP_MODEL, TIERS, ModelCall, Tier
from tellonce_llm.breaker import Guarded
from tellonce_llm.errors import LLMError, LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion
from tellonce_summarizer.models.answers import UnacceptableAnswerError, complaint

ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Task(Generic[ResultT_co]):
    """`accept` converts an answer to the result, or raises UnacceptableAnswerError."""

    request: Callable[[Tier], Completion]
    accept: Callable[[Answer], ResultT_co]
    without_model: Callable[[], ResultT_co]


@dataclass(frozen=True, slots=True)
class Step:
    """One model in the chain, and the seconds that the model may take."""

    model: Guarded
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultT_co]):
    """A result, the tier and model that made it, and the cost of every call for the result."""

    result: ResultT_co
    model: str
    tier: Tier
    provisional: bool
    calls: tuple[ModelCall, ...]


class FallbackChain:
    """Tries its steps in order, the best model first; the `keep` tier at the end never fails."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)

    def best_tier(self) -> Tier:
        """The best tier that may be asked now."""
        for step in self._steps:
            if step.model.breaker.rest_seconds() == 0:
                return step.model.tier
        return "keep"

    async def first_result(
        self, task: Task[ResultT], emit: Emit, *, best_tier: work.Tier = TIERS[0], together: str | None = None
    ) -> Outcome[ResultT]:
        """The first acceptable result of the tiers from `best_tier` downwards; failures are reported. Results of tiers
        below the best one are provisional, even if the best tier is not configured. Tasks with the same `together` may
        share a call."""
        calls: list[ModelCall] = []
        steps = [step for step in self._steps if TIERS.index(step.model.tier) >= TIERS.index(best_tier)]
        for index, step in enumerate(steps):
            result = await _result(step, task, calls, emit, together)
            if result is not None:
                made, answer = result
                return Outcome(made, answer.model, step.model.tier, step.model.tier != TIERS[0], tuple(calls))
            emit("model_fallback", model=step.model.name, to=_name(steps, index + 1))
        return Outcome(task.without_model(), KEEP_MODEL, "keep", True, tuple(calls))

    async def ask(
        self, tier: Tier, task: Task[ResultT], emit: Emit, together: str | None = None
    ) -> tuple[ResultT | None, tuple[ModelCall, ...]]:
        """The result of this tier alone (None if the tier gives no result), and the calls that were made."""
        calls: list[ModelCall] = []
        for step in self._steps:
            if step.model.tier == tier:
                result = await _result(step, task, calls, emit, together)
                return (result[0] if result else None), tuple(calls)
        return None, ()


async def _result(
    step: Step, task: Task[ResultT], calls: list[ModelCall], emit: Emit, together: str | None
) -> tuple[ResultT, Answer] | None:
    answer = await _asked(step, task, calls, emit, together)
    if answer is None:
        return None
    try:
        result = task.accept(answer)
    except (UnacceptableAnswerError, ValidationError) as error:
        _reject(calls, answer, _reason(error), emit)
        return None
    emit("ltm_parse_result", ok=True, model=answer.model)
    return result, answer


async def _asked(
    step: Step, task: Task[ResultT], calls: list[ModelCall], emit: Emit, together: str | None
) -> Answer | None:
    model = step.model
    rest = model.breaker.rest_seconds()
    if rest:
        emit("ltm_llm_skipped", model=model.name, resting_seconds=round(rest, 1))
        return None
    request = dataclasses.replace(task.request(model.tier), timeout=step.seconds, together=together)
    started = time.perf_counter()
    answer: Answer | None = None
    try:
        with tracing.traced(f"chat {model.name}"):
            answer = await model.complete(request)
        calls.append(_call(answer))
    except LLMError as error:
        paid = error.answer if isinstance(error, LLMUnusable) else None
        calls.append(_failed_call(model, paid, error))
    emit("ltm_llm_call", ms=round((time.perf_counter() - started) * 1000), **_figures(calls[-1]))
    return answer


def _figures(call: ModelCall) -> dict[str, object]:
    """Without the provider's message (`note`), which can repeat the request. Only the ledger has it."""
    return call.model_dump(exclude={"seconds", "note"})


def _name(steps: Sequence[Step], index: int) -> str:
    return steps[index].model.name if index < len(steps) else KEEP_MODEL


def _reason(error: UnacceptableAnswerError | ValidationError) -> str:
    """Never quotes the answer, because events and the ledger contain no content."""
    return complaint(error) if isinstance(error, ValidationError) else str(error)


def _reject(calls: list[ModelCall], answer: Answer, reason: str, emit: Emit) -> None:
    calls[-1] = calls[-1].model_copy(update={"ok": False, "note": reason})
    emit("ltm_parse_result", ok=False, model=answer.model)
    emit("parse_failed", model=answer.model, reason=reason)


def _call(answer: Answer) -> ModelCall:
    return ModelCall(
        model=answer.model,
        tier=answer.tier,
        input_tokens=answer.input_tokens + answer.cache_read_tokens + answer.cache_write_tokens,
        output_tokens=answer.output_tokens,
        seconds=round(answer.seconds, 3),
        price_usd=answer.price_usd or 0.0,
        note="" if answer.price_usd is not None else "price unknown",
    )


def _failed_call(model: Guarded, paid: Answer | None, error: LLMError) -> ModelCall:
    if paid is None:
        down = isinstance(error, LLMUnavailable)
        return ModelCall(model=model.name, tier=model.tier, ok=False, down=down, note=str(error))
    return _call(paid).model_copy(update={"ok": False, "note": str(error)})
