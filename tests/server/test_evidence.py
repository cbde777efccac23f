"""Checks in every run that the summarizer does not reduce the evidence in a context. This is a rule of
docs/CONTRACT.md, section 4. The test uses a small conversation and a search by words. `python -m benchmarks.evidence`
measures large conversations with the embedding model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.corpora import locomo
from benchmarks.dialogue import Dialogue
from benchmarks.evidence import Figures, fewer, figures, held
from benchmarks.learning.harness import chain_of, drain
from benchmarks.memory import import_message
from tellonce_server.core.scope import ChatScope
from tellonce_server.services.import_messages import Importer
from tests.memory_fixtures import USER, Memory

pytestmark = pytest.mark.anyio

TALK = Path(__file__).parents[2] / "benchmarks" / "talks" / "binder.json"
QUESTIONS = 8
BUDGETS = (1_000, 4_300)


async def found(memory: Memory, dialogue: Dialogue, budgets: Sequence[int]) -> list[dict[str, Figures]]:
    """The share of evidence in the contexts for the first questions. There is one entry for each budget."""
    async with memory.client() as client:
        return [
            figures([await held(client, dialogue, probe, budget) for probe in dialogue.probes[:QUESTIONS]])
            for budget in budgets
        ]


async def test_a_question_finds_no_less_evidence_with_the_summarizer_than_without(memory: Memory) -> None:
    [dialogue] = locomo(TALK)
    importer = Importer((await memory.storage.services()).deps, ChatScope(USER, USER))
    await importer.add([import_message(turn) for turn in dialogue.turns])
    without = await found(memory, dialogue, BUDGETS)
    assert await drain(memory, chain_of(None)) > 0
    with_it = await found(memory, dialogue, BUDGETS)
    assert without[-1]["assistant"].some > 0.5
    assert [fewer(*pair) for pair in zip(without, with_it, strict=True)] == [[], []]
    assert with_it[-1]["assistant"].tokens > without[-1]["assistant"].tokens
