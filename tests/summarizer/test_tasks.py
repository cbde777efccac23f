"""The fallback chain and its tasks. The providers are stubs that answer or fail."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from tellonce.journal import silent
from tellonce.work import (
    Canonical,
    ExchangeResult,
    ProfileInput,
    ProfileResult,
    Quote,
    RoutineResult,
    SummaryBody,
    SummaryResult,
    ThreadInput,
    Tier,
    WorkMessage,
)
from tellonce_llm.breaker import Breaker, Guarded
from tellonce_llm.claude import Claude
from tellonce_llm.ollama import Ollama
from tellonce_summarizer.agent.agent import Done, done
from tellonce_summarizer.models.answers import ExchangeShape, SummaryShape, VerdictsShape, schema_of
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step
from tellonce_text.tokens import estimate
from tests.event_collector import EventCollector
from tests.patience import HANGS
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Fail, Garbage, Hang, Reply, Say, say_json, seconds_for
from tests.stubs.stub import Script
from tests.summarizer.conversations import START, ZONE, chunk, exchange, known, notable, routine

pytestmark = pytest.mark.anyio


@dataclass
class Stage:
    """Both providers, the fallback chain, and all emitted events."""

    claude: AnthropicStub
    ollama: OllamaStub
    models: tuple[Guarded, ...]
    seconds: float = HANGS
    events: EventCollector = field(default_factory=EventCollector)
    now: float = 0.0

    def fields_of(self, event: str) -> list[dict[str, object]]:
        return self.events.fields_of(event)

    @property
    def chain(self) -> FallbackChain:
        return FallbackChain([Step(model, self.seconds) for model in self.models])

    async def work(self, work: Any, *, best_tier: Tier = "claude") -> Done:
        return await done(work, self.chain, self.events, best_tier=best_tier)


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
ITEM: dict[str, Any] = {
    "quotes": [{"message_id": 1, "text": "I work as a nurse at Mercy Hospital"}],
    "text": "The user works as a nurse at Mercy Hospital",
    "kind": "fact",
}
HEDGED: dict[str, Any] = {
    "quotes": [{"message_id": 1, "text": "I might move to Berlin"}],
    "text": "The user might move to Berlin",
    "kind": "goal",
    "certain": False,
    "doubt": "they say might",
}
CANONICAL = {
    "user_confirmed": "Works as a nurse.",
    "llm_inferred": "",
    "general_summary": "Feb 15: They talked about work.",
    "obsolete": [],
}
GOOD: dict[str, Any] = {"items": [ITEM, HEDGED], "canonical": CANONICAL}
AGREED = {"verdicts": [{"number": 1, "holds": True, "why": ""}]}


def by_shape(first: Reply, second: Reply | None = None) -> Script:
    """A script that answers the exchange with `first` and the second reading with `second`."""
    agreed = second or say_json(AGREED)
    return lambda asked: agreed if "verdicts" in (asked.schema or {}).get("properties", {}) else first


def extracted(outcome: Done) -> ExchangeResult:
    assert isinstance(outcome.result, ExchangeResult)
    return outcome.result


async def test_claude_extracts_and_carries_the_summary_forward_and_is_asked_once_more_whether_it_was_said(
    stage: Stage,
) -> None:
    stage.claude.script = by_shape(say_json(GOOD))
    outcome = await stage.work(exchange(SAID))
    result = extracted(outcome)
    assert [(item.text, item.certain, item.doubt) for item in result.items] == [
        (ITEM["text"], True, None),
        (HEDGED["text"], False, "they say might"),
    ]
    assert result.canonical.general_summary == "Feb 15: They talked about work."
    assert (outcome.tier, outcome.model, outcome.provisional) == ("claude", "claude-haiku-4-5", False)
    assert len(stage.claude.asked) == 2
    assert not stage.ollama.asked
    assert [call.ok for call in outcome.calls] == [True, True]
    assert all(call.price_usd > 0 and call.input_tokens > 100 for call in outcome.calls)


async def test_the_prompt_shows_speakers_times_and_known_memories_by_number(stage: Stage) -> None:
    stage.claude.script = by_shape(say_json(GOOD))
    prior = Canonical(general_summary="Feb 14: They said hello.")
    said = (*exchange(SAID).messages, WorkMessage(id=3, role="user", speaker="Ben", at=START, text="Me too"))
    memories = (
        known(12, "Ann lives in Singapore", user_confirmed=True),
        known(13, "I moved to Lisbon", status="uncertain", note=True),
    )
    await stage.work(exchange(SAID, canonical=prior, messages=said, known=memories, user_name="Ann"))
    asked = stage.claude.asked[0]
    assert "[1] user, Sun 2026-02-15 21:00: I might move to Berlin." in asked.user
    assert "[3] Ben, Sun 2026-02-15 21:00: Me too" in asked.user
    assert "USER: Ann\nTIME ZONE of the user: Asia/Singapore\nNOW: Sun 2026-02-15 22:00" in asked.user
    assert "#12 fact, since 2026-01-16, confirmed by the user: Ann lives in Singapore" in asked.user
    assert "#13 fact, since 2026-01-16, uncertain: “I moved to Lisbon”" in asked.user
    assert "Feb 14: They said hello." in asked.user
    assert asked.schema is not None


async def test_the_instructions_are_the_same_for_every_exchange_so_that_they_can_be_cached(stage: Stage) -> None:
    stage.claude.script = by_shape(say_json(GOOD))
    full = Canonical(general_summary="a long line of talk about boats\n" * 60)
    await stage.work(exchange(SAID))
    await stage.work(exchange(SAID, canonical=full, canonical_cap_tokens=300, known=(known(12, "Ann sails"),)))
    first, second = (asked.body["system"] for asked in stage.claude.asked if "MODE" in asked.user)
    assert first == second
    assert [block.get("cache_control") for block in first] == [{"type": "ephemeral"}]


@pytest.mark.parametrize(
    "reply",
    [
        Hang(),
        Fail(500),
        Fail(529),
        Fail(429, retry_after=30),
        Garbage(),
        Say("I cannot do that.", stop="refusal"),
        Say('{"items": [{"te', stop="max_tokens"),
        Say("Sure! Here are the facts."),
        say_json({"facts": []}),
        say_json({**GOOD, "items": "nothing"}),
        say_json({**GOOD, "items": [{"text": "Nurse"}]}),
        say_json({**GOOD, "items": [{**ITEM, "quotes": [{"message_id": 1, "text": "never said"}]}]}),
    ],
)
async def test_any_failure_of_claude_is_reported_and_left_to_the_next_tier(stage: Stage, reply: Reply) -> None:
    stage.claude.script = lambda asked: reply
    stage.ollama.script = by_shape(say_json({"items": [ITEM]}))
    stage.seconds = seconds_for(reply)
    outcome = await stage.work(exchange(SAID))
    assert [item.text for item in extracted(outcome).items] == [ITEM["text"]]
    assert (outcome.tier, outcome.provisional) == ("ollama", True)
    assert [call.ok for call in outcome.calls] == [False, True, True]
    assert outcome.calls[0].note
    assert stage.fields_of("model_fallback") == [{"traceId": None, "model": "claude-haiku-4-5", "to": "llama3.2"}]
    bad = [f for f in (*stage.fields_of("ltm_llm_call"), *stage.fields_of("ltm_parse_result")) if not f["ok"]]
    assert bad


async def test_when_every_model_fails_the_users_own_sentences_are_kept(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(500)
    stage.ollama.script = lambda asked: Garbage()
    outcome = await stage.work(exchange(SAID, notable=(notable("I might move to Berlin."),)))
    assert (outcome.tier, outcome.model, outcome.provisional) == ("keep", "keep", True)
    assert [(item.text, item.note) for item in extracted(outcome).items] == [("I might move to Berlin.", True)]
    assert len(outcome.calls) == 2
    assert [fields["to"] for fields in stage.fields_of("model_fallback")] == ["llama3.2", "keep"]
    assert len(stage.fields_of("parse_failed")) + len([f for f in stage.fields_of("ltm_llm_call") if not f["ok"]]) == 2


async def test_without_calls_left_no_model_is_asked(stage: Stage) -> None:
    outcome = await stage.work(exchange(SAID), best_tier="keep")
    assert (outcome.tier, outcome.provisional, outcome.calls) == ("keep", True, ())
    assert not stage.claude.asked
    assert not stage.ollama.asked


async def test_a_spent_budget_leaves_the_local_model_whose_result_is_done_again_later(stage: Stage) -> None:
    stage.ollama.script = by_shape(say_json({"items": [ITEM]}))
    outcome = await stage.work(exchange(SAID), best_tier="ollama")
    assert (outcome.tier, outcome.provisional, len(outcome.calls)) == ("ollama", True, 2)
    assert not stage.claude.asked


async def test_without_any_model_everything_is_provisional() -> None:
    outcome = await done(exchange(SAID), FallbackChain([]), silent)
    assert (outcome.tier, outcome.provisional) == ("keep", True)
    assert FallbackChain([]).best_tier() == "keep"


async def test_a_provider_that_is_down_is_left_alone_and_asked_again_later(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(503)
    stage.ollama.script = lambda asked: say_json({"items": []})
    for _ in range(3):
        await stage.work(exchange(SAID))
    assert len(stage.claude.asked) == 1
    assert len(stage.ollama.asked) == 3
    assert stage.chain.best_tier() == "ollama"
    assert stage.fields_of("ltm_llm_skipped")
    stage.now += 60
    assert stage.chain.best_tier() == "claude"
    stage.claude.script = by_shape(say_json(GOOD))
    assert (await stage.work(exchange(SAID))).tier == "claude"


async def test_a_bad_item_is_dropped_and_reported_and_the_others_are_kept(stage: Stage) -> None:
    items = [
        {**ITEM, "quotes": [{"message_id": "[77]", "text": "“i WORK  as a nurse at Mercy Hospital”"}]},
        {**ITEM, "text": "  "},
        {**ITEM, "kind": "gossip"},
        {**ITEM, "quotes": []},
        "The user is a nurse",
        {
            **ITEM,
            "quotes": [{"message": 1, "words": "Mercy Hospital"}],
            "same_as": "#12",
            "replaces": ["13"],
            "ends": None,
            "importance": 7,
        },
    ]
    stage.claude.script = by_shape(say_json({**GOOD, "items": items}))
    first, last = extracted(await stage.work(exchange(SAID))).items
    assert first.quotes == (Quote(message_id=1, text="I work as a nurse at Mercy Hospital"),)
    assert last.quotes == (Quote(message_id=1, text="Mercy Hospital"),)  # this item has the former names of the fields
    assert (last.same_as, last.replaces, last.ends, last.importance) == (12, (13,), (), 1.0)
    assert len(stage.fields_of("ltm_item_dropped")) == 4
    assert "nurse" not in str(stage.fields_of("ltm_item_dropped"))


async def test_a_quote_nobody_said_is_left_to_the_servers_check(stage: Stage) -> None:
    invented = {**ITEM, "text": "The user lives on Mars", "quotes": [{"message_id": 1, "text": "I live on Mars"}]}
    stage.claude.script = by_shape(say_json({**GOOD, "items": [ITEM, invented]}))
    _, second = extracted(await stage.work(exchange(SAID))).items
    assert second.quotes == (Quote(message_id=1, text="I live on Mars"),)


@pytest.mark.parametrize(
    ("written", "start", "end"),
    [
        ("2026-03-15", "2026-03-15T00:00:00+08:00", "2026-03-15T23:59:00+08:00"),
        ("2026-02", "2026-02-01T00:00:00+08:00", "2026-02-28T23:59:00+08:00"),
        ("2026", "2026-01-01T00:00:00+08:00", "2026-12-31T23:59:00+08:00"),
        ("2026-03-15T10:30", "2026-03-15T10:30:00+08:00", "2026-03-15T10:30:00+08:00"),
        ("2026-03-15T10:30:00Z", "2026-03-15T10:30:00+00:00", "2026-03-15T10:30:00+00:00"),
    ],
)
async def test_times_are_read_in_the_users_zone(stage: Stage, written: str, start: str, end: str) -> None:
    when = {"start": written, "end": written, "precision": "day"}
    stage.claude.script = by_shape(say_json({**GOOD, "items": [{**ITEM, "when": when, "deadline": written}]}))
    (item,) = extracted(await stage.work(exchange(SAID))).items
    assert item.when is not None
    assert (item.when.start, item.when.end) == (datetime.fromisoformat(start), datetime.fromisoformat(end))
    assert item.deadline == datetime.fromisoformat(end)


@pytest.mark.parametrize(
    ("start", "end", "deadline"),
    [
        ("2026-03-05", "2026-03-15", "2026-03-15T23:59:00+08:00"),
        ("2026-03-05", "2026-03-05", "2026-03-05T00:00:00+08:00"),
        ("2026-03-05T10:00", "2026-03-05T11:00", "2026-03-05T10:00:00+08:00"),
        ("2026-03-05", "", "2026-03-05T00:00:00+08:00"),
    ],
)
async def test_a_date_of_several_days_lasts_until_their_end(stage: Stage, start: str, end: str, deadline: str) -> None:
    when = {"start": start, "end": end, "precision": "day"}
    stage.claude.script = by_shape(say_json({**GOOD, "items": [{**ITEM, "kind": "date", "when": when}]}))
    (item,) = extracted(await stage.work(exchange(SAID))).items
    assert item.deadline == datetime.fromisoformat(deadline)


@pytest.mark.parametrize("written", ["soon", "2026-02-30", "2026-13", None, ""])
async def test_a_time_that_is_none_makes_no_item_certain(stage: Stage, written: str | None) -> None:
    when = {"start": written, "end": "", "precision": "day"}
    stage.claude.script = by_shape(say_json({**GOOD, "items": [{**ITEM, "when": when, "deadline": written}]}))
    (item,) = extracted(await stage.work(exchange(SAID))).items
    assert (item.when, item.deadline, item.certain) == (None, None, not written)


async def test_a_local_model_is_asked_in_fewer_words_for_the_same_schema(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(500)
    line = "The user works as a nurse at Mercy Hospital and might move to Berlin."
    stage.ollama.script = by_shape(say_json({**GOOD, "canonical": {**CANONICAL, "general_summary": line}}))
    result = extracted(await stage.work(exchange(SAID)))
    assert result.canonical == Canonical(general_summary=line)
    claude, ollama = stage.claude.asked[0], stage.ollama.asked[0]
    assert len(ollama.system) < len(claude.system) / 2
    assert "items" in (ollama.schema or {})["properties"]


async def test_a_local_models_line_that_speaks_of_itself_gives_way_to_the_users_words(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(500)
    canonical = {**CANONICAL, "general_summary": "Let me summarise: the user works as a nurse."}
    stage.ollama.script = by_shape(say_json({**GOOD, "canonical": canonical}))
    result = extracted(await stage.work(exchange(SAID, notable=(notable("I work as a nurse at Mercy Hospital"),))))
    assert result.canonical.general_summary == "User: “I work as a nurse at Mercy Hospital” (2026-02-15)"


async def test_obsolete_lines_leave_the_canonical_summary(stage: Stage) -> None:
    prior = Canonical(user_confirmed="- Lives in Singapore\n- Likes tea", general_summary="Feb 1: Hello.")
    answer = {
        **GOOD,
        "canonical": {**GOOD["canonical"], "user_confirmed": "- Lives in Lisbon", "obsolete": ["Lives in Singapore."]},
    }
    stage.claude.script = by_shape(say_json(answer))
    result = extracted(await stage.work(exchange(SAID, canonical=prior))).canonical
    assert result.user_confirmed == "- Likes tea\n- Lives in Lisbon"
    assert result.general_summary == "Feb 1: Hello.\nFeb 15: They talked about work."


async def test_a_full_canonical_summary_is_rewritten_and_stays_near_the_cap(stage: Stage) -> None:
    prior = Canonical(general_summary="\n".join(f"Feb {n}: a long line of talk about boats" for n in range(60)))
    stage.claude.script = by_shape(say_json(GOOD))
    result = extracted(await stage.work(exchange(SAID, canonical=prior, canonical_cap_tokens=300))).canonical
    assert result.general_summary == "Feb 15: They talked about work."
    assert "MODE: rewrite, under 300 tokens" in stage.claude.asked[0].user
    long = {**CANONICAL, "general_summary": "many words " * 2000}
    stage.claude.script = by_shape(say_json({**GOOD, "canonical": long}))
    result = extracted(await stage.work(exchange(SAID, canonical=prior, canonical_cap_tokens=300))).canonical
    assert estimate(result.general_summary) <= 330


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


async def test_ollama_writes_the_paragraph_and_no_lists(stage: Stage) -> None:
    stage.claude.script = lambda asked: Fail(500)
    stage.ollama.script = lambda asked: Say(
        "The SingPass callback failed with invalid_grant; the server clock was 4 minutes off."
    )
    outcome = await stage.work(chunk())
    assert isinstance(outcome.result, SummaryResult)
    assert outcome.result.text.startswith("The SingPass callback failed")
    assert outcome.result.body == SummaryBody()
    assert outcome.tier == "ollama"


@pytest.mark.parametrize(
    "text",
    [
        "Certainly! Here's the summary.",
        "I'll create a summary of the callback.",
        "```\nsummary\n```",
        "word " * 400,
        "Völlig anderes Thema ohne Bezug.",
    ],
)
async def test_a_bad_local_summary_is_replaced_by_what_was_said(stage: Stage, text: str) -> None:
    stage.claude.script = lambda asked: Fail(500)
    stage.ollama.script = lambda asked: Say(text)
    outcome = await stage.work(chunk(notable=(notable("The clock was off", 5),)))
    assert isinstance(outcome.result, SummaryResult)
    assert outcome.result.text == "User: “The clock was off” (2026-02-16)"
    assert outcome.tier == "keep"
    assert [fields for fields in stage.fields_of("ltm_parse_result") if not fields["ok"]]


LONG_TALK = " ".join(f"Step {n} was done." for n in range(80)) + " The roof leaks."


async def test_a_thread_summary_by_claude_is_cut_to_its_cap(stage: Stage) -> None:
    stage.claude.script = lambda asked: say_json({**SUMMARY, "paragraph": LONG_TALK, "pending": ["Call Mei"]})
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
    assert estimate(outcome.result.text) <= 100
    assert "The roof leaks.\nOpen: Call Mei" in outcome.result.text
    assert outcome.tier == "claude"


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
    assert outcome.tier == "keep"


async def test_a_profile_is_written_from_active_memories_only(stage: Stage) -> None:
    memories = [
        {"id": 1, "kind": "fact", "text": "Lives in Lisbon", "since": START, "status": "active"},
        {"id": 2, "kind": "goal", "text": "Might move to Mars", "since": START, "status": "uncertain"},
    ]
    work = ProfileInput.model_validate({"timezone": ZONE, "memories": memories, "cap_tokens": 500})
    stage.claude.script = lambda asked: Say("They live in Lisbon.")
    assert (await stage.work(work)).result == ProfileResult(narrative="They live in Lisbon.")
    assert "Lisbon" in stage.claude.asked[0].user
    assert "Mars" not in stage.claude.asked[0].user


def test_the_schemas_need_nothing_the_providers_lack() -> None:
    for shape in (ExchangeShape, VerdictsShape, SummaryShape):
        text = str(schema_of(shape))
        assert "oneOf" not in text
        assert "patternProperties" not in text
