"""One piece of work for the ladder: how to ask a model, how to take its answer, and how to do without."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from tellonce_llm import Answer, Completion, Tier

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Task(Generic[ResultT]):
    """`request` is asked for each model's tier; `accept` raises UnacceptableAnswerError for a useless answer."""

    request: Callable[[Tier], Completion]
    accept: Callable[[Answer], ResultT]
    without_model: Callable[[], ResultT]
