"""The model ladder: Claude, Ollama, deterministic code; tells what was used, what it cost, what went wrong."""

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from chatmem import tracing
from chatmem.journal import Emit
from chatmem.work import RUNGS, ModelCall
from chatmem_llm import Answer, Guarded, LLMError, LLMUnavailable, LLMUnusable, Rung
from chatmem_summarizer.answers import UnacceptableAnswerError
from chatmem_summarizer.task import Task

ResultT = TypeVar("ResultT")
OFFLINE_MODEL = "deterministic"


@dataclass(frozen=True, slots=True)
class Step:
    """One model on the ladder, and the seconds it may take."""

    model: Guarded
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultT]):
    """A result, who made it and what every call on the way cost."""

    result: ResultT
    model: str
    rung: Rung
    provisional: bool
    calls: tuple[ModelCall, ...]


class Ladder:
    """Tries its steps from the best down; the deterministic rung below them never fails."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)

    def best_rung(self) -> Rung:
        """The best rung that may be asked now."""
        for step in self._steps:
            if step.model.breaker.resting() == 0:
                return step.model.rung
        return "offline"

    async def climb(self, task: Task[ResultT], emit: Emit, *, best_rung: Rung = "claude") -> Outcome[ResultT]:
        """The first acceptable result of this rung or one below. Every failure is told, none is silent."""
        calls: list[ModelCall] = []
        answered_badly = False
        steps = [step for step in self._steps if RUNGS.index(step.model.rung) >= RUNGS.index(best_rung)]
        for index, step in enumerate(steps):
            answer = await _asked(step, task, calls, emit)
            if answer is not None:
                try:
                    result = task.accept(answer)
                except (UnacceptableAnswerError, ValidationError) as error:
                    answered_badly = True
                    _reject(calls, answer, _reason(error), emit)
                else:
                    emit("ltm_parse_result", ok=True, model=answer.model)
                    return Outcome(result, answer.model, answer.rung, step is not self._steps[0], tuple(calls))
            emit("model_fallback", model=step.model.name, to=_name(steps, index + 1))
        result = task.after_bad_answer() if answered_badly else task.without_model()
        return Outcome(result, OFFLINE_MODEL, "offline", bool(self._steps), tuple(calls))


async def _asked(step: Step, task: Task[ResultT], calls: list[ModelCall], emit: Emit) -> Answer | None:
    model = step.model
    rest = model.breaker.resting()
    if rest:
        emit("ltm_llm_skipped", model=model.name, resting_seconds=round(rest, 1))
        return None
    request = dataclasses.replace(task.request(model.rung), timeout=step.seconds)
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
    """Without the provider's own words, which may repeat ours; the ledger keeps them."""
    return call.model_dump(exclude={"seconds", "note"})


def _name(steps: Sequence[Step], index: int) -> str:
    return steps[index].model.name if index < len(steps) else OFFLINE_MODEL


def _reason(error: UnacceptableAnswerError | ValidationError) -> str:
    """Why an answer is of no use, without its text: events and ledger hold no content."""
    if isinstance(error, ValidationError):
        return error.errors(include_url=False, include_input=False, include_context=False)[0]["msg"]
    return str(error)


def _reject(calls: list[ModelCall], answer: Answer, reason: str, emit: Emit) -> None:
    calls[-1] = calls[-1].model_copy(update={"ok": False, "note": reason})
    emit("ltm_parse_result", ok=False, model=answer.model)
    emit("parse_failed", model=answer.model, reason=reason)


def _call(answer: Answer) -> ModelCall:
    return ModelCall(
        model=answer.model,
        rung=answer.rung,
        input_tokens=answer.input_tokens + answer.cache_read_tokens + answer.cache_write_tokens,
        output_tokens=answer.output_tokens,
        seconds=round(answer.seconds, 3),
        price_usd=answer.price_usd or 0.0,
        note="" if answer.price_usd is not None else "price unknown",
    )


def _failed_call(model: Guarded, paid: Answer | None, error: LLMError) -> ModelCall:
    if paid is None:
        down = isinstance(error, LLMUnavailable)
        return ModelCall(model=model.name, rung=model.rung, ok=False, down=down, note=str(error))
    return _call(paid).model_copy(update={"ok": False, "note": str(error)})
