"""Combines several language models: the first that answers is used."""

from collections.abc import AsyncIterator, Callable, Sequence

from tellonce_llm.errors import LLMError, LLMUnavailable
from tellonce_llm.model import Answer, Completion, FileKind, LanguageModel, readable


class NoModelAnswered(LLMUnavailable):
    """No model gave a usable answer. The text contains the reasons in order."""

    def __init__(self, failures: Sequence[LLMError]) -> None:
        reasons = "; ".join(str(failure) for failure in failures) or "none is configured"
        best = failures[0] if failures else None
        waits = [f.retry_after for f in failures if isinstance(f, LLMUnavailable) and f.retry_after is not None]
        super().__init__(
            "all models", reasons, cause=best.cause if best else "away", retry_after=min(waits, default=None)
        )


def _unnoticed(model: LanguageModel, error: LLMError) -> None:
    pass


class FirstAvailable:
    """Streams from its models in order. A failure is reported to `on_failure`, and the next model is asked."""

    def __init__(
        self, models: Sequence[LanguageModel], on_failure: Callable[[LanguageModel, LLMError], None] = _unnoticed
    ) -> None:
        self._models = tuple(models)
        self._on_failure = on_failure

    @property
    def name(self) -> str:
        """All names, best first."""
        return " > ".join(model.name for model in self._models) or "none"

    async def reads(self) -> frozenset[FileKind]:
        """The kinds of files that at least one of the models reads."""
        kinds = [await readable(model) for model in self._models]
        return frozenset().union(*kinds)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """The first stream that yields anything. If it fails later, its error is raised."""
        failures: list[LLMError] = []
        for model in self._models:
            begun = False
            try:
                async for piece in model.stream(request):
                    begun = True
                    yield piece
                return
            except LLMError as error:
                failures.append(error)
                self._on_failure(model, error)
                if begun:
                    raise
        raise NoModelAnswered(failures)
