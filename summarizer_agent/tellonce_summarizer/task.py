"""One piece of work for the fallback chain: the request, the reading of the answer, and the result without a model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from tellonce_llm import Answer, Completion, Tier

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Task(Generic[ResultT]):
    """A task. `request` is created for each model's tier; `accept` raises UnacceptableAnswerError for an unusable
    answer."""

    request: Callable[[Tier], Completion]
    accept: Callable[[Answer], ResultT]
    without_model: Callable[[], ResultT]
