"""A language model that receives its system prompt in one piece, because chat templates of local models may keep only
one of several."""

from collections.abc import AsyncIterator
from dataclasses import replace

from tellonce_llm import Answer, Completion, FileKind, LanguageModel, SystemBlock, Tier, readable


class InOnePiece:
    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def tier(self) -> Tier:
        return self._model.tier

    async def reads(self) -> frozenset[FileKind]:
        """The model's own kinds of files."""
        return await readable(self._model)

    async def complete(self, request: Completion) -> Answer:
        """Ask the model with one system prompt."""
        return await self._model.complete(_joined(request))

    def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """Ask the model with one system prompt."""
        return self._model.stream(_joined(request))


def _joined(request: Completion) -> Completion:
    text = "\n\n".join(block.text for block in request.system)
    return replace(request, system=(SystemBlock(text),) if text else ())
