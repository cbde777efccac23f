"""Each turn has one trace through three real processes, and no event contains text of a message."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chain.product import TALKER, Whole, both, whole
from tests.stubs.otlp_collector import OtlpCollector
from tests.stubs.replies import Fail, Hang, Reply, Say
from tests.stubs.stub import Asked

pytestmark = pytest.mark.anyio

CANARY = "Quetzalcoatlus"


ALL_DONE = {"reply_recorded", "ltm_store_result", "work_done"}
"""The last event of a turn in each process. This event is written only after the turn's effect is visible in the
database."""


def events(life: Whole) -> list[dict[str, Any]]:
    """All complete events, without a last line that is still being written."""
    texts = [file.read_text(errors="replace") for file in sorted(life.logs.glob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.rpartition("\n")[0].splitlines()]


def of_turn(life: Whole, chat: int) -> list[dict[str, Any]]:
    """The events of the last turn of a chat, in time order."""
    told = events(life)
    trace = [e["traceId"] for e in told if e["event"] == "message_received" and e.get("chat") == chat][-1]
    return sorted((e for e in told if e["traceId"] == trace), key=lambda e: str(e["at"]))


async def of_whole_turn(life: Whole, chat: int) -> list[dict[str, Any]]:
    """The events of the last turn of a chat, once every process has written them."""

    async def over() -> bool:
        return {e["event"] for e in of_turn(life, chat)} >= ALL_DONE

    await life.until(over)
    return of_turn(life, chat)


async def test_a_turn_is_one_trace_through_all_three_processes(life: Whole) -> None:
    await life.tell("I live in Singapore", 101)
    found = await of_whole_turn(life, 101)
    assert {e["process"] for e in found} == {"relay", "server", "summarizer"}
    names = [e["event"] for e in found if e["process"] == "relay"]
    assert names == [
        *("message_received", "message_recorded", "context_received", "prompt_built", "model_start"),
        *("model_complete",),
        *("tags_parsed", "reply_sent", "reply_recorded"),
    ]
    told = {e["event"] for e in found}
    assert told >= {"context_built", "ltm_enqueued", "ltm_llm_call", "ltm_parse_result", "ltm_store_result"}
    assert all(e["at"].endswith("+08:00") for e in found)
    assert next(e for e in found if e["event"] == "model_complete")["model"] == TALKER
    assert all(e["ms"] >= 0 for e in found if e["event"] in ("context_built", "reply_sent", "ltm_llm_call"))


async def test_a_turn_is_shown_with_times(life: Whole) -> None:
    await life.tell("I work as a Solution Architect at GovTech", 102)
    trace = (await of_whole_turn(life, 102))[0]["traceId"]
    drawn = (await life.command("trace", trace[:12])).splitlines()
    assert trace in drawn[0]
    assert "answered after" in drawn[0]
    assert "remembered after" in drawn[0]
    received = next(i for i, line in enumerate(drawn) if "relay: context_received" in line)
    built = next(i for i, line in enumerate(drawn) if "server: context_built" in line)
    assert 0 < built - received <= 2, "the server's part follows the relay's step"
    assert any("summarizer" in line for line in drawn)
    assert any(trace in line for line in (await life.command("trace")).splitlines())


async def test_a_fallen_back_model_and_a_failed_parse_are_events(life: Whole) -> None:
    def spoilt(asked: Asked) -> Reply:
        return both(asked) if asked.model == TALKER else Say("Certainly! Here is what I found.")

    life.model.script = spoilt
    try:
        await life.tell("My name is Priya", 103)
    finally:
        life.model.script = both
    found = await of_whole_turn(life, 103)
    fallen = [e for e in found if e["event"] == "model_fallback"]
    assert [(e["process"], e["to"]) for e in fallen][:1] == [("summarizer", "keep")]
    assert "model_fallback" in await life.command("trace", found[0]["traceId"])
    assert any("model_fallback" in line for line in (await life.command("trace")).splitlines())


async def test_a_turn_that_a_kill_interrupts_goes_on_in_its_own_trace(life: Whole) -> None:
    life.model.script = lambda asked: Hang()
    try:
        await life.telegram.say("I live in Singapore", 105)
        await life.until(lambda: asked_about(life, "I live in Singapore"))
        await life.kill("relay")
    finally:
        life.model.script = both
    await life.start("relay")
    await life.heard(105, 1)
    await life.until(lambda: has_told(life, 105, "reply_recorded"))
    names = [e["event"] for e in of_turn(life, 105) if e["process"] == "relay"]
    assert names[:4] == ["message_received", "message_recorded", "context_received", "prompt_built"]
    assert names[4:7] == ["model_start", "turn_resumed", "context_received"]
    assert names[-2:] == ["reply_sent", "reply_recorded"]
    assert "turn_resumed" in await life.command("trace", of_turn(life, 105)[0]["traceId"])


async def asked_about(life: Whole, said: str) -> bool:
    return any(asked.user.endswith(said) and asked.model == TALKER for asked in life.model.asked[-1:])


async def has_told(life: Whole, chat: int, event: str) -> bool:
    return any(e["event"] == event for e in of_turn(life, chat))


def _offers_to_forget(message: dict[str, Any]) -> bool:
    return '"Forget"' in json.dumps(message.get("reply_markup"))


async def test_no_event_holds_a_word_of_what_was_said(life: Whole) -> None:
    """The turns use messages, tags, a routine, an edit, commands, buttons, forgetting, and models that repeat their
    input or fail."""
    user = 104
    script = [Fail(400, f"prompt too odd: {CANARY}", "invalid_request_error"), Say(f"no JSON {CANARY}")]

    def echoing(asked: Asked) -> Reply:
        if asked.model != TALKER:
            return script.pop() if script else both(asked)
        if "Where is" in asked.user:
            return Fail(400, f"what is a {CANARY}?", "invalid_request_error")
        return Say(f"Noted, {CANARY}! [REMEMBER: The dragon is called {CANARY}] [DONE: {CANARY}] [GOAL: {CANARY}")

    life.model.script = echoing
    try:
        number = await life.telegram.say(f"My dragon is called {CANARY}", user)
        await life.heard(user, 1)
        await life.settled(user, exchanges_only=True)
        await life.telegram.edit(number, f"My dragon is called {CANARY} the Great", user)
        await life.turn(f"I need to feed {CANARY} by March 15", user)
        await life.turn(f"I might sell {CANARY}, not sure", user)
        await life.settled(user, exchanges_only=True)
        before = len(life.messages(user))
        routine = ("send", "--chat", str(user), "--routine", "morning-summary")
        await life.command(*routine, told=f"{CANARY} slept well. " * 40)
        for said in (f"/remember I like {CANARY}", "/memory", "/summary", f"/forget {CANARY}", f"/{CANARY}"):
            await life.telegram.say(said, user)
            before += 1
            await life.heard(user, before + 1)
        # A question about an uncertain statement can come at any time. Such a question also has buttons.
        await life.seen(lambda: any(map(_offers_to_forget, life.messages(user))))
        asked = next(filter(_offers_to_forget, life.messages(user)))
        await life.telegram.press(asked, "Forget", user)
        await life.seen(lambda: "reply_markup" not in asked)
        before = len(life.messages(user))
        await life.telegram.say(f"Where is {CANARY}?", user)
        await life.heard(user, before + 1)
    finally:
        life.model.script = both
    written = "\n".join(file.read_text() for file in life.logs.iterdir())
    assert CANARY not in written
    assert CANARY.lower() not in written.lower()
    told = {(e["process"], e["event"]) for e in events(life)}
    assert {event for _, event in told} >= {
        "turn_failed",
        "parse_failed",
        "model_fallback",
        "tags_applied",
        "forgotten",
    }
    assert {process for process, _ in told} == {"relay", "server", "summarizer", "send"}


async def test_without_observability_the_command_says_how_to_switch_it_on(life: Whole, tmp_path: Path) -> None:
    life.environment |= {"OBSERVABILITY_ENABLED": "0", "TELLONCE_LOG_DIR": str(tmp_path / "none")}
    try:
        told = await life.command("trace", code=1)
    finally:
        life.environment |= {"OBSERVABILITY_ENABLED": "1", "TELLONCE_LOG_DIR": str(life.logs)}
    assert "OBSERVABILITY_ENABLED=1" in told
    assert "Traceback" not in told


async def test_a_collector_gets_the_spans_of_all_three_processes_as_one_trace(tmp_path: Path, dsn: str) -> None:
    async with OtlpCollector() as collector:
        async with whole(tmp_path, DATABASE_URL=dsn, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as traced:
            await traced.tell("I live in Singapore", 42)
            turn = of_turn(traced, 42)[0]["traceId"]
            await traced.stop()
        spans = [span for span in collector.spans if span.trace_id == turn]
    assert {span.service for span in spans} == {"tellonce-relay", "tellonce-server", "tellonce-summarizer"}
    names = {span.name for span in spans}
    assert names >= {"take", "turn", "context_received", "tools/call get_context", "work exchange", "apply exchange"}
    ids = {span.span_id for span in spans}
    assert [span.name for span in spans if span.parent_id not in ids] == ["take"], (
        "one tree: only its root has no parent"
    )
