"""Tests of several requests in one call, and of the limit on calls. The model and the clock are scripted."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tellonce.work import Tier
from tellonce_llm.allowance import Allowance, Used
from tellonce_llm.batch import Batched
from tellonce_llm.errors import LLMUnavailable, LLMUnusable
from tellonce_llm.model import Answer, Completion, SystemBlock, Turn
from tellonce_summarizer.models.answers import ExchangeShape, schema_of
from tests.patience import HANGS

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}


@dataclass
class Echo:
    """A model that answers each request in a prompt with the text below the request. The requests in `silent_on` get no
    answer."""

    tier: Tier = "claude-cli"
    name: str = "echo"
    asked: list[Completion] = field(default_factory=list)
    silent_on: tuple[int, ...] = ()
    failure: Exception | None = None

    async def complete(self, request: Completion) -> Answer:
        self.asked.append(request)
        if self.failure is not None:
            raise self.failure
        return Answer(self._text(request), self.name, self.tier, 101, 11, 1.0, price_usd=0.3)

    def _text(self, request: Completion) -> str:
        prompt = request.turns[0].content
        if not prompt.startswith("REQUEST 1\n"):
            return json.dumps({"said": prompt})
        parts = [part.split("\n", 1) for part in prompt.split("REQUEST ")[1:]]
        answers: list[Any] = [
            {"number": int(number), "answer": {"said": text.strip()}}
            for number, text in parts
            if int(number) not in self.silent_on
        ]
        return json.dumps({"answers": answers})

    async def stream(self, request: Completion) -> AsyncIterator[str | Answer]:
        raise NotImplementedError
        yield ""


def request(text: str, together: str | None = "42") -> Completion:
    return Completion((Turn("user", text),), (SystemBlock("Echo."),), 100, SCHEMA, 10.0, together)


async def test_requests_of_one_owner_share_a_call_and_each_gets_its_own_answer_and_share_of_the_cost() -> None:
    model = Echo()
    batched = Batched(model, most=3, seconds=HANGS)
    answers = await asyncio.gather(*(batched.complete(request(text)) for text in ("a", "b", "c")))
    assert [json.loads(answer.text) for answer in answers] == [{"said": "a"}, {"said": "b"}, {"said": "c"}]
    (asked,) = model.asked
    assert (asked.max_tokens, asked.timeout) == (300, 30.0)
    assert sum(answer.input_tokens for answer in answers) == 101
    assert sum(answer.price_usd or 0 for answer in answers) == pytest.approx(0.3)


async def test_two_owners_are_never_asked_in_one_call() -> None:
    model = Echo()
    batched = Batched(model, most=2, seconds=0.01)
    await asyncio.gather(batched.complete(request("a", "42")), batched.complete(request("b", "-100")))
    assert sorted(asked.turns[0].content for asked in model.asked) == ["a", "b"]


async def test_a_request_that_stays_alone_or_wants_to_be_is_asked_as_it_is() -> None:
    model = Echo()
    batched = Batched(model, seconds=0.01)
    assert json.loads((await batched.complete(request("a"))).text) == {"said": "a"}
    await batched.complete(request("b", None))
    assert model.asked == [request("a"), request("b", None)]


async def test_a_request_left_out_of_the_answer_is_unusable_and_the_others_are_not() -> None:
    batched = Batched(Echo(silent_on=(2,)), most=2, seconds=HANGS)
    first, second = await asyncio.gather(
        batched.complete(request("a")), batched.complete(request("b")), return_exceptions=True
    )
    assert isinstance(first, Answer)
    assert isinstance(second, LLMUnusable)
    assert second.answer is not None


async def test_an_outage_is_everybodys() -> None:
    batched = Batched(Echo(failure=LLMUnavailable("echo", "gone")), most=2, seconds=HANGS)
    found = await asyncio.gather(batched.complete(request("a")), batched.complete(request("b")), return_exceptions=True)
    assert [type(one) for one in found] == [LLMUnavailable, LLMUnavailable]


async def test_a_request_that_is_not_wanted_any_more_is_not_asked() -> None:
    model = Echo()
    batched = Batched(model, most=2, seconds=HANGS)
    gone = asyncio.create_task(batched.complete(request("a")))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    await batched.complete(request("b"))
    assert [asked.turns[0].content for asked in model.asked] == ["b"]


async def test_definitions_of_a_schema_are_where_a_reference_finds_them() -> None:
    model = Echo()
    batched = Batched(model, most=2, seconds=HANGS)
    wanted = replace(request("a"), json_schema=schema_of(ExchangeShape))
    await asyncio.gather(batched.complete(wanted), batched.complete(wanted))
    schema = dict(model.asked[0].json_schema or {})
    assert "ItemShape" in schema["$defs"]
    assert "$defs" not in schema["properties"]["answers"]["items"]["properties"]["answer"]


async def test_calls_are_limited_by_the_hour_and_the_day_and_a_restart_forgets_none(tmp_path: Path) -> None:
    now = [1_000_000.0]
    file = tmp_path / "data" / "calls.json"

    def allowance() -> Allowance:
        return Allowance(file, 2, 3, clock=lambda: now[0])

    assert [await allowance().take() for _ in range(2)] == [0, 0]
    assert await allowance().take() == 3600
    now[0] += 3600
    assert await allowance().take() == 0
    assert allowance().used() == Used(hour=1, day=3)
    now[0] += 3600
    assert await allowance().take() == 86_400 - 7200
    now[0] += 86_400
    assert allowance().used() == Used(hour=0, day=0)
    assert await allowance().take() == 0


async def test_who_has_a_share_leaves_the_rest_to_others(tmp_path: Path) -> None:
    allowance = Allowance(tmp_path / "calls", 4, 100)
    assert [await allowance.take(0.5) > 0 for _ in range(3)] == [False, False, True]
    assert [await allowance.take() > 0 for _ in range(3)] == [False, False, True]


async def test_no_call_is_allowed_where_none_may_be_made_and_a_spoiled_file_is_an_empty_one(tmp_path: Path) -> None:
    assert await Allowance(tmp_path / "none", 0, 5).take() == 3600
    spoiled = tmp_path / "spoiled"
    spoiled.write_text('{"no": "list"}')
    assert await Allowance(spoiled, 1, 1).take() == 0
    assert await Allowance(spoiled, 1, 1).take() > 0
