"""Runs the real agent with a scripted model on a memory."""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from tellonce.client import MemoryClient
from tellonce.journal import silent
from tellonce.work import ClaimWorkArgs, ExchangeInput, Tier, WorkItem
from tellonce_llm.breaker import Guarded
from tellonce_llm.errors import LLMUnusable
from tellonce_llm.model import Answer, Completion
from tellonce_summarizer.agent.agent import done, submission
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tests.memory_fixtures import Memory

_STATEMENT = re.compile(r"^STATEMENT (\d+), about [^:]*: (.*)$", re.MULTILINE)


class ScriptedModel:
    """A language model that replaces Claude. A function computes its answers."""

    name = "scripted"
    tier: Tier = "claude"

    def __init__(self, answer: Callable[[Completion], Mapping[str, Any] | None]) -> None:
        self._answer = answer

    async def complete(self, request: Completion) -> Answer:
        """The script's answer. Raises LLMUnusable if the script has no answer, for example to a request for a
        summary."""
        answer = self._answer(request)
        if answer is None:
            raise LLMUnusable(self.name, "not in the script")
        text = json.dumps(answer)
        return Answer(text, self.name, self.tier, input_tokens=0, output_tokens=0, seconds=0.0, price_usd=0.0)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        """The whole answer, which is not streamed in pieces."""
        answer = await self.complete(request)
        yield answer.text
        yield answer


def chain_of(model: ScriptedModel | None) -> FallbackChain:
    """A fallback chain with only this model, or without a model if `model` is None."""
    return FallbackChain([Step(Guarded(model), 60.0)] if model else [])


async def drain(memory: Memory, chain: FallbackChain, meet: Callable[[WorkItem], None] = lambda item: None) -> int:
    """Do all due jobs one after another. The function `meet` is called with each job before the job begins. Returns the
    number of exchanges."""
    exchanges = 0
    async with memory.agent() as agent:
        while jobs := (await agent.claim_work(ClaimWorkArgs(worker="bench", limit=1))).jobs:
            for item in jobs:
                meet(item)
                exchanges += isinstance(item.input, ExchangeInput)
                await _work(agent, item, chain)
    return exchanges


async def _work(agent: MemoryClient, item: WorkItem, chain: FallbackChain) -> None:
    outcome = await done(item.input, chain, silent, best_tier=item.best_tier, second_reading=item.second_reading)
    await agent.submit_work(submission(item, outcome))


def is_exchange(request: Completion) -> bool:
    """Whether the request is for the statements of an exchange."""
    return "items" in _asked(request)


def is_second_reading(request: Completion) -> bool:
    """Whether the request is for a second reading of statements."""
    return "verdicts" in _asked(request)


def _asked(request: Completion) -> Mapping[str, Any]:
    return (request.json_schema or {}).get("properties", {})


def verdicts(request: Completion, holds: Callable[[str], bool]) -> dict[str, Any]:
    """Return the scripted model's answer when the model checks claims again. The function `holds` decides from a
    statement's text whether the statement is true."""
    asked = _STATEMENT.findall(request.turns[-1].content)
    return {
        "verdicts": [
            {"number": int(number), "holds": holds(text), "why": "" if holds(text) else "the words do not support it"}
            for number, text in asked
        ]
    }
