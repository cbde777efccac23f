"""The model ladder: Claude, Ollama, deterministic code; tells what was used, what it cost, what went wrong."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from chatmem.work import ModelCall
from chatmem_llm import Answer, Guarded, LLMError, LLMUnusable, Rung
from chatmem_summarizer.answers import UnacceptableAnswerError
from chatmem_summarizer.task import Task

ResultT = TypeVar("ResultT")
Tell = Callable[[str, dict[str, Any]], None]
"""Told each event: its name and its fields."""

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

    async def climb(self, task: Task[ResultT], tell: Tell, *, may_use_model: bool = True) -> Outcome[ResultT]:
        """The first acceptable result. Every failure is told, none is silent."""
        calls: list[ModelCall] = []
        answered_badly = False
        for index, step in enumerate(self._steps if may_use_model else ()):
            answer = await _asked(step, task, calls, tell)
            if answer is None:
                continue
            try:
                result = task.accept(answer)
            except (UnacceptableAnswerError, ValidationError) as error:
                answered_badly = True
                _reject(calls, answer, _reason(error), tell)
                continue
            tell("ltm_parse_result", {"ok": True, "model": answer.model})
            return Outcome(result, answer.model, answer.rung, index > 0, tuple(calls))
        result = task.after_bad_answer() if answered_badly else task.without_model()
        return Outcome(result, OFFLINE_MODEL, "offline", bool(self._steps), tuple(calls))


async def _asked(step: Step, task: Task[ResultT], calls: list[ModelCall], tell: Tell) -> Answer | None:
    model = step.model
    rest = model.breaker.resting()
    if rest:
        tell("ltm_llm_skipped", {"model": model.name, "resting_seconds": round(rest, 1)})
        return None
    request = dataclasses.replace(task.request(model.rung), timeout=step.seconds)
    try:
        answer = await model.complete(request)
    except LLMError as error:
        paid = error.answer if isinstance(error, LLMUnusable) else None
        _note(calls, _failed_call(model, paid, str(error)), tell)
        return None
    _note(calls, _call(answer), tell)
    return answer


def _reason(error: UnacceptableAnswerError | ValidationError) -> str:
    """Why an answer is of no use, without its text: events and ledger hold no content."""
    if isinstance(error, ValidationError):
        return error.errors(include_url=False, include_input=False, include_context=False)[0]["msg"]
    return str(error)


def _note(calls: list[ModelCall], call: ModelCall, tell: Tell) -> None:
    calls.append(call)
    tell("ltm_llm_call", call.model_dump())


def _reject(calls: list[ModelCall], answer: Answer, reason: str, tell: Tell) -> None:
    calls[-1] = calls[-1].model_copy(update={"ok": False, "note": reason})
    tell("ltm_parse_result", {"ok": False, "model": answer.model, "reason": reason})


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


def _failed_call(model: Guarded, paid: Answer | None, reason: str) -> ModelCall:
    if paid is None:
        return ModelCall(model=model.name, rung=model.rung, ok=False, note=reason)
    return _call(paid).model_copy(update={"ok": False, "note": reason})
