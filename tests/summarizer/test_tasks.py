"""The ladder and its tasks, with stubbed providers that answer and misbehave."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from chatmem.journal import silent
from chatmem.work import (
    Canonical,
    ExchangeResult,
    ProfileInput,
    ProfileResult,
    RoutineResult,
    Rung,
    SummaryBody,
    SummaryResult,
    ThreadInput,
)
from chatmem_llm import Breaker, Guarded
from chatmem_llm.claude import Claude
from chatmem_llm.ollama import Ollama
from chatmem_summarizer.answers import ExchangeShape, ExtractionShape
from chatmem_summarizer.ladder import Ladder, Step
from chatmem_summarizer.length import tokens
from chatmem_summarizer.offline_summarize import chunk_summary
from chatmem_summarizer.work import Done, done
from tests.patience import HANGS
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Fail, Garbage, Hang, Reply, Say, say_json, seconds_for
from tests.summarizer.talk import ZONE, chunk, exchange, routine
from tests.told import Told

pytestmark = pytest.mark.anyio


@dataclass
class Stage:
    """Both providers, the ladder over them, and every event told."""

    claude: AnthropicStub
    ollama: OllamaStub
    models: tuple[Guarded, ...]
    seconds: float = HANGS
    events: Told = field(default_factory=Told)
    now: float = 0.0

    def told(self, event: str) -> list[dict[str, object]]:
        return self.events.told(event)

    @property
    def ladder(self) -> Ladder:
        return Ladder([Step(model, self.seconds) for model in self.models])

    async def work(self, work: Any, *, best_rung: Rung = "claude") -> Done:
        return await done(work, self.ladder, self.events, best_rung=best_rung)


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    async with AsyncExitStack() as stack:
        claude_stub = await stack.enter_async_context(AnthropicStub())
        ollama_stub = await stack.enter_async_context(OllamaStub())
        claude = await stack.enter_async_context(aclosing(Claude("k", base_url=claude_stub.url)))
        ollama = await stack.enter_async_context(aclosing(Ollama(ollama_stub.url, "llama3.2")))
        breakers = [Breaker(clock=lambda: made.now, jitter=lambda: 1.0) for _ in range(2)]
        made = Stage(claude_stub, ollama_stub, tuple(map(Guarded, (claude, ollama), breakers)))
        yield made


SAID = "I might move to Berlin. I work as a nurse at Mercy Hospital, my shift starts at 7."
ITEM = {"text": "Works as a nurse at Mercy Hospital", "quote": "I work as a nurse at Mercy Hospital", "source_ids": [1]}
EMPTY: dict[str, Any] = {"facts": [], "preferences": [], "goals": [], "dates": []}
GOOD: dict[str, Any] = {
    "certain": {**EMPTY, "facts": [ITEM]},
    "uncertain": {
        **EMPTY,
        "goals": [{"text": "Might move to Berlin", "quote": "I might move to Berlin", "source_ids": [1]}],
    },
    "canonical": {
        "user_confirmed": "Works as a nurse.",
        "llm_inferred": "",
        "general_summary": "Feb 15: They talked about work.",
        "obsolete": [],
    },
}


def extracted(outcome: Done) -> ExchangeResult:
    assert isinstance(outcome.result, ExchangeResult)
    return outcome.result


async def test_claude_extracts_and_carries_the_summary_forward_in_one_call(stage: Stage) -> None:
    stage.claude.script = lambda asked: say_json(GOOD)
    outcome = await stage.work(exchange(SAID))
    result = extracted(outcome)
    assert [item.text for item in result.extraction.certain.facts] == ["Works as a nurse at Mercy Hospital"]
    assert [item.text for item in result.extraction.uncertain.goals] == ["Might move to Berlin"]
    assert result.canonical.general_summary == "Feb 15: They talked about work."
    assert (outcome.rung, outcome.model, outcome.provisional) == ("claude", "claude-haiku-4-5", False)
    assert len(stage.claude.asked) == 1
    assert not stage.ollama.asked
    (call,) = outcome.calls
    assert call.ok
    assert call.price_usd > 0
    assert call.input_tokens > 100


async def test_the_prompt_shows_the_exchange_its_time_and_what_is_known(stage: Stage) -> None:
    stage.claude.script = lambda asked: say_json(GOOD)
    prior = Canonical(general_summary="Feb 14: They said hello.")
    await stage.work(exchange(SAID, canonical=prior))
    asked = stage.claude.asked[0]
    assert "#1 user, Sun 2026-02-15 21:00: I might move to Berlin." in asked.user
    assert "TIME ZONE of the user: Asia/Singapore" in asked.user
    assert "Feb 14: They said hello." in asked.user
    assert "hypotheticals" in asked.system
    assert asked.schema is not None


@pytest.mark.parametrize(
    "reply",
    [
        Hang(),
        Fail(500),
        Fail(529),
        Fail(429, retry_after=30),
        Garbage(),
        Say("I cannot do that.", stop="refusal"),
        Say('{"certain": {"fa', stop="max_tokens"),
        Say("Sure! Here are the facts."),
        say_json({"facts": []}),
        say_json({**GOOD, "certain": "nothing"}),
        say_json({**GOOD, "certain": {**EMPTY, "facts": [{**ITEM, "quote": "never said"}]}, "uncertain": EMPTY}),
    ],
)
async def test_any_failure_of_claude_is_told_and_left_to_the_next_rung(stage: Stage, reply: Reply) -> None:
    stage.claude.script = lambda asked: reply
    stage.ollama.script = lambda asked: say_json({"certain": {**EMPTY, "facts": [ITEM]}, "uncertain": EMPTY})
    stage.seconds = seconds_for(reply)
    outcome = await stage.work(exchange(SAID))
    assert [item.text for item in extracted(outcome).extraction.certain.facts] == [ITEM["text"]]
    assert (outcome.rung, outcome.provisional) == ("ollama", True)
    assert [call.ok for call in outcome.calls] == [False, True]
    assert outcome.calls[0].note
    assert stage.told("model_fallback") == [{"traceId": None, "model": "claude-haiku-4-5", "to": "llama3.2"}]
    bad = [f for f in (*stage.told("ltm_llm_call"), *stage.told("ltm_parse_result")) if not f["ok"]]
    assert bad


async def test_when_every_model_fails_the_deterministic_rung_answers(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(500)
    stage.ollama.script = lambda asked: Garbage()
    outcome = await stage.work(exchange(SAID))
    assert (outcome.rung, outcome.model, outcome.provisional) == ("offline", "deterministic", True)
    certain = extracted(outcome).extraction.certain
    assert [item.text for item in certain.facts] == ["Works as a nurse at Mercy Hospital"]
    assert len(outcome.calls) == 2
    assert [fields["to"] for fields in stage.told("model_fallback")] == ["llama3.2", "deterministic"]
    assert len(stage.told("parse_failed")) + len([f for f in stage.told("ltm_llm_call") if not f["ok"]]) == 2


async def test_without_calls_left_no_model_is_asked(stage: Stage) -> None:
    outcome = await stage.work(exchange(SAID), best_rung="offline")
    assert (outcome.rung, outcome.provisional, outcome.calls) == ("offline", True, ())
    assert not stage.claude.asked
    assert not stage.ollama.asked


async def test_a_spent_budget_leaves_the_local_model_whose_result_is_done_anew_later(stage: Stage) -> None:
    stage.ollama.script = lambda asked: say_json({"certain": {**EMPTY, "facts": [ITEM]}, "uncertain": EMPTY})
    outcome = await stage.work(exchange(SAID), best_rung="ollama")
    assert (outcome.rung, outcome.provisional, len(outcome.calls)) == ("ollama", True, 1)
    assert not stage.claude.asked


async def test_without_any_model_the_deterministic_rung_is_final() -> None:
    outcome = await done(exchange(SAID), Ladder([]), silent)
    assert (outcome.rung, outcome.provisional) == ("offline", False)
    assert Ladder([]).best_rung() == "offline"


async def test_a_provider_that_is_down_is_left_alone_and_asked_again_later(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(503)
    stage.ollama.script = lambda asked: say_json({"certain": EMPTY, "uncertain": EMPTY})
    for _ in range(3):
        await stage.work(exchange(SAID))
    assert len(stage.claude.asked) == 1
    assert len(stage.ollama.asked) == 3
    assert stage.ladder.best_rung() == "ollama"
    assert stage.told("ltm_llm_skipped")
    stage.now += 60
    assert stage.ladder.best_rung() == "claude"
    stage.claude.script = lambda asked: say_json(GOOD)
    assert (await stage.work(exchange(SAID))).rung == "claude"


async def test_a_refusal_does_not_rest_the_provider(stage: Stage) -> None:
    stage.claude.script = lambda asked: Say("No.", stop="refusal")
    await stage.work(exchange(SAID))
    assert stage.ladder.best_rung() == "claude"


async def test_quotes_are_made_verbatim_and_invented_ones_dropped(stage: Stage) -> None:
    items = [
        {**ITEM, "quote": "“i WORK  as a nurse at Mercy Hospital”", "source_ids": [77]},
        {**ITEM, "text": "Lives on Mars", "quote": "I live on Mars"},
        {**ITEM, "text": "Assistant's words", "quote": "Noted.", "source_ids": [2]},
        {**ITEM, "text": "  "},
    ]
    stage.claude.script = lambda asked: say_json({**GOOD, "certain": {**EMPTY, "facts": items}})
    (item,) = extracted(await stage.work(exchange(SAID))).extraction.certain.facts
    assert item.quote == "I work as a nurse at Mercy Hospital"
    assert item.source_ids == (1,)


@pytest.mark.parametrize(
    ("due", "kind", "expected"),
    [
        ("2026-03-15", "goals", "2026-03-15T23:59:00+08:00"),
        ("2026-03-15", "dates", "2026-03-15T00:00:00+08:00"),
        ("2026-03-15T10:30", "dates", "2026-03-15T10:30:00+08:00"),
        ("2026-03-15T10:30:00Z", "dates", "2026-03-15T10:30:00+00:00"),
        ("soon", "dates", None),
        ("2026-02-30", "dates", None),
    ],
)
async def test_due_dates_are_read_in_the_users_zone(stage: Stage, due: str, kind: str, expected: str | None) -> None:
    stage.claude.script = lambda asked: say_json({**GOOD, "certain": {**EMPTY, kind: [{**ITEM, "due": due}]}})
    (item,) = getattr(extracted(await stage.work(exchange(SAID))).extraction.certain, kind)
    assert item.due == (datetime.fromisoformat(expected) if expected else None)


async def test_obsolete_lines_leave_the_canonical_summary(stage: Stage) -> None:
    prior = Canonical(user_confirmed="- Lives in Singapore\n- Likes tea", general_summary="Feb 1: Hello.")
    answer = {
        **GOOD,
        "canonical": {**GOOD["canonical"], "user_confirmed": "- Lives in Lisbon", "obsolete": ["Lives in Singapore."]},
    }
    stage.claude.script = lambda asked: say_json(answer)
    result = extracted(await stage.work(exchange(SAID, canonical=prior))).canonical
    assert result.user_confirmed == "- Likes tea\n- Lives in Lisbon"
    assert result.general_summary == "Feb 1: Hello.\nFeb 15: They talked about work."


async def test_a_full_canonical_summary_is_written_anew_and_stays_near_the_cap(stage: Stage) -> None:
    prior = Canonical(general_summary="\n".join(f"Feb {n}: a long line of talk about boats" for n in range(60)))
    stage.claude.script = lambda asked: say_json(GOOD)
    result = extracted(await stage.work(exchange(SAID, canonical=prior, canonical_cap_tokens=300))).canonical
    assert result.general_summary == "Feb 15: They talked about work."
    assert "nearly full" in stage.claude.asked[0].system
    long = {**GOOD["canonical"], "general_summary": "many words " * 2000}
    stage.claude.script = lambda asked: say_json({**GOOD, "canonical": long})
    result = extracted(await stage.work(exchange(SAID, canonical=prior, canonical_cap_tokens=300))).canonical
    assert tokens(result.general_summary) <= 330


SUMMARY: dict[str, Any] = {
    "paragraph": "The user debugged the SingPass callback. The clock was 4 minutes off.",
    "goals": ["Launch by Q2 2026"],
    "decisions": ["Use chrony"],
    "facts": [],
    "outcomes": ["Clock fixed"],
    "pending": [],
}


async def test_claude_writes_paragraph_and_body_of_a_chunk(stage: Stage) -> None:
    stage.claude.script = lambda asked: say_json(SUMMARY)
    outcome = await stage.work(chunk())
    assert outcome.result == SummaryResult(
        text=SUMMARY["paragraph"],
        body=SummaryBody(goals=("Launch by Q2 2026",), decisions=("Use chrony",), outcomes=("Clock fixed",)),
    )


async def test_ollama_writes_the_paragraph_and_the_body_is_deterministic(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(500)
    stage.ollama.script = lambda asked: Say(
        "The SingPass callback failed with invalid_grant; the server clock was 4 minutes off."
    )
    outcome = await stage.work(chunk())
    assert isinstance(outcome.result, SummaryResult)
    assert outcome.result.text.startswith("The SingPass callback failed")
    assert outcome.result.body == chunk_summary(chunk()).body
    assert outcome.rung == "ollama"


@pytest.mark.parametrize(
    "text", ["Certainly! Here's the summary.", "```\nsummary\n```", "word " * 400, "Völlig anderes Thema ohne Bezug."]
)
async def test_a_bad_local_summary_is_replaced_by_the_fallback(stage: Stage, text: str) -> None:
    stage.claude.script = lambda asked: Fail(500)
    stage.ollama.script = lambda asked: Say(text)
    outcome = await stage.work(chunk())
    assert isinstance(outcome.result, SummaryResult)
    assert outcome.result.text.startswith("Conversation with 9 messages about: ")
    assert outcome.rung == "offline"
    assert [fields for fields in stage.told("ltm_parse_result") if not fields["ok"]]


async def test_a_thread_summary_by_claude_is_cut_to_its_cap(stage: Stage) -> None:
    stage.claude.script = lambda asked: say_json({**SUMMARY, "paragraph": "Long talk. " * 500})
    text = "Talk."
    first = chunk().messages[0].at
    work = ThreadInput.model_validate(
        {
            "timezone": ZONE,
            "level": "thread",
            "prior_text": "",
            "prior_body": SummaryBody(),
            "chunks": [{"text": text, "body": SummaryBody(), "from_at": first, "to_at": first, "count": 20}],
            "cap_tokens": 100,
        }
    )
    outcome = await stage.work(work)
    assert isinstance(outcome.result, SummaryResult)
    assert tokens(outcome.result.text) <= 100
    assert outcome.rung == "claude"


LONG = "Good morning! The weather in Singapore is rainy, 27 degrees. " + "Your first meeting is at 9:30 with Mei. " * 20


async def test_a_routine_gets_a_short_summary_from_a_model(stage: Stage) -> None:
    summary = "Rain and 27 degrees in Singapore. The first meeting is at 9:30 with Mei."
    stage.claude.script = lambda asked: Say(summary)
    assert (await stage.work(routine(LONG))).result == RoutineResult(summary=summary)


@pytest.mark.parametrize("reply", [Fail(500), Say(LONG[:200]), Say("Certainly! Rain."), Say("")])
async def test_a_routine_without_a_usable_summary_shows_its_first_300_characters(stage: Stage, reply: Reply) -> None:
    stage.claude.script = stage.ollama.script = lambda asked: reply
    outcome = await stage.work(routine(LONG))
    assert outcome.result == RoutineResult(summary=LONG.strip()[:300])
    assert outcome.rung == "offline"


async def test_a_profile_is_written_from_active_memories_only(stage: Stage) -> None:
    memories = [
        {"id": 1, "kind": "fact", "text": "Lives in Lisbon", "status": "active"},
        {"id": 2, "kind": "goal", "text": "Might move to Mars", "status": "uncertain"},
    ]
    work = ProfileInput.model_validate({"timezone": ZONE, "memories": memories, "cap_tokens": 500})
    stage.claude.script = lambda asked: Say("They live in Lisbon.")
    assert (await stage.work(work)).result == ProfileResult(narrative="They live in Lisbon.")
    assert "Lisbon" in stage.claude.asked[0].user
    assert "Mars" not in stage.claude.asked[0].user


def test_the_schemas_need_nothing_the_providers_lack() -> None:
    for shape in (ExchangeShape, ExtractionShape):
        text = str(shape.model_json_schema())
        assert "oneOf" not in text
        assert "patternProperties" not in text
