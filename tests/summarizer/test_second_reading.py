"""A model's certain claims are read a second time against the user's words. A scripted model answers both readings."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tellonce.journal import silent
from tellonce.work import Claim, ExchangeInput, ExchangeResult, Quote, SecondReadingInput, SecondReadingResult, Tier
from tellonce_llm.breaker import Guarded
from tellonce_llm.errors import LLMUnavailable
from tellonce_llm.model import Answer, Completion
from tellonce_summarizer.agent.agent import Done, done
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tellonce_summarizer.tasks.second_reading import NOT_FOUND, NOT_YET
from tests.stubs.replies import say_json
from tests.summarizer.conversations import exchange, known

pytestmark = pytest.mark.anyio

SAID = "gave up on the marathon. my brother Max is a vet"
ENDING: dict[str, Any] = {
    "quotes": [{"message_id": 1, "text": "gave up on the marathon"}],
    "text": "The user gave up on the marathon because it is boring",
    "kind": "outcome",
    "ends": [9],
}
BROTHER: dict[str, Any] = {
    "quotes": [{"message_id": 1, "text": "my brother Max is a vet"}],
    "text": "Max, the user's brother, is a vet",
    "kind": "fact",
    "about": "Max",
}
HEDGED = {**BROTHER, "text": "Max might be a vet", "certain": False, "doubt": "might"}


@dataclass
class TwoReadings:
    """A model that answers the first reading with `items` and the second with `verdicts`."""

    items: list[dict[str, Any]]
    verdicts: Callable[[], str]
    tier: Tier = "claude"
    name: str = "scripted"
    asked: list[Completion] = field(default_factory=list)

    async def complete(self, request: Completion) -> Answer:
        self.asked.append(request)
        second = "verdicts" in (request.json_schema or {})["properties"]
        text = self.verdicts() if second else say_json({"items": self.items}).text
        return Answer(text, self.name, self.tier, 10, 10, 0.0)

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        raise NotImplementedError
        yield ""


def verdicts(*holding: bool, why: str = "") -> Callable[[], str]:
    told = [{"number": n, "holds": holds, "why": why} for n, holds in enumerate(holding, 1)]
    return lambda: say_json({"verdicts": told}).text


def away() -> str:
    raise LLMUnavailable("scripted", "gone")


async def read(model: TwoReadings, **options: Any) -> Done:
    work = exchange(SAID, known=(known(9, "The user wants to run the Berlin marathon", kind="goal"),))
    return await done(work, FallbackChain([Step(Guarded(model), 5)]), silent, **options)


def confirmations(outcome: Done) -> list[tuple[bool, str | None]]:
    assert isinstance(outcome.result, ExchangeResult)
    return [(item.certain, item.doubt) for item in outcome.result.items]


async def test_a_claim_the_second_reading_confirms_stays_certain() -> None:
    outcome = await read(TwoReadings([ENDING, BROTHER], verdicts(True, True)))
    assert confirmations(outcome) == [(True, None), (True, None)]
    assert not outcome.provisional
    assert len(outcome.calls) == 2


async def test_a_claim_it_does_not_confirm_becomes_uncertain_and_says_why() -> None:
    outcome = await read(TwoReadings([ENDING, BROTHER], verdicts(False, True, why="no reason was given")))
    assert confirmations(outcome) == [(False, "no reason was given"), (True, None)]
    assert not outcome.provisional
    assert confirmations(await read(TwoReadings([ENDING], verdicts(False)))) == [(False, NOT_FOUND)]


async def test_it_is_asked_afresh_with_words_context_and_consequences_and_without_the_first_answers_doubts() -> None:
    model = TwoReadings([ENDING, HEDGED, BROTHER], verdicts(True, True))
    await read(model)
    asked = model.asked[1].turns[0].content
    assert len(model.asked[1].turns) == 1
    assert "[1] user, Sun 2026-02-15 21:00: gave up on the marathon. my brother Max is a vet" in asked
    assert "STATEMENT 1, about user: The user gave up on the marathon because it is boring" in asked
    assert "Quoted: “gave up on the marathon” [1]" in asked
    assert "So this is over or replaced: The user wants to run the Berlin marathon" in asked
    assert "STATEMENT 2, about Max: Max, the user's brother, is a vet" in asked
    assert "might" not in asked


async def test_nothing_certain_is_not_read_twice() -> None:
    for items in ([], [HEDGED]):
        model = TwoReadings(items, verdicts())
        assert not (await read(model)).provisional
        assert len(model.asked) == 1


async def test_where_no_second_reading_is_admitted_claims_wait_as_uncertain() -> None:
    model = TwoReadings([ENDING, HEDGED], verdicts(True))
    outcome = await read(model, second_reading=False)
    assert confirmations(outcome) == [(False, NOT_YET), (False, "might")]
    assert outcome.provisional
    assert len(model.asked) == 1


@pytest.mark.parametrize("unusable", [away, lambda: "Certainly, they all hold!", lambda: '{"verdicts": "yes"}'])
async def test_where_it_brings_no_usable_answer_claims_wait_as_uncertain(unusable: Callable[[], str]) -> None:
    outcome = await read(TwoReadings([ENDING], unusable))
    assert confirmations(outcome) == [(False, NOT_YET)]
    assert outcome.provisional
    assert [call.ok for call in outcome.calls] == [True, False]


async def test_a_claim_without_a_verdict_of_its_own_is_uncertain_and_of_two_verdicts_the_doubting_one_counts() -> None:
    told = [{"number": 1, "holds": True}, {"number": 1, "holds": False, "why": "a joke"}, {"holds": True}]
    outcome = await read(TwoReadings([ENDING, BROTHER], lambda: say_json({"verdicts": told}).text))
    assert confirmations(outcome) == [(False, "a joke"), (False, NOT_YET)]


async def test_the_tier_that_read_first_reads_again() -> None:
    better = TwoReadings([], away, tier="claude", name="better")
    local = TwoReadings([ENDING], verdicts(True), tier="ollama", name="local")
    steps = [Step(Guarded(better), 5), Step(Guarded(local), 5)]
    work: ExchangeInput = exchange(SAID)
    outcome = await done(work, FallbackChain(steps), silent, best_tier="ollama")
    assert (confirmations(outcome), outcome.tier, len(local.asked), better.asked) == ([(True, None)], "ollama", 2, [])


def assistants() -> SecondReadingInput:
    """Two statements of the connected assistant about an exchange."""
    claims = tuple(
        Claim(memory_id=number, text=text, quotes=(Quote(message_id=1, text="Max is a vet"),))
        for number, text in ((51, "Max is a vet"), (52, "The user is a vet"))
    )
    return SecondReadingInput(timezone="UTC", messages=exchange(SAID).messages, claims=claims)


async def test_the_assistants_statements_get_the_same_questions_in_a_job_of_their_own() -> None:
    model = TwoReadings([], verdicts(True, False, why="his brother"))
    outcome = await done(assistants(), FallbackChain([Step(Guarded(model), 5)]), silent)
    assert isinstance(outcome.result, SecondReadingResult)
    assert [(v.memory_id, v.doubt) for v in outcome.result.verdicts] == [(51, None), (52, "his brother")]
    assert "STATEMENT 2: The user is a vet\nQuoted: “Max is a vet” [1]" in model.asked[0].turns[0].content
    assert not outcome.provisional


async def test_without_a_usable_answer_the_assistants_statements_have_no_verdict_and_wait_for_a_better_model() -> None:
    outcome = await done(assistants(), FallbackChain([Step(Guarded(TwoReadings([], away)), 5)]), silent)
    assert (outcome.result, outcome.tier, outcome.provisional) == (SecondReadingResult(), "keep", True)
