"""Everyday messages of a demanding user, and the required contents of answers without a language model."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.memory_fixtures import Clock, Memory
from tests.relay.running_relay import relaying

pytestmark = pytest.mark.anyio

PHRASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["phrase"]


@pytest.mark.parametrize("case", PHRASES, ids=lambda case: str(case["say"])[:40])
async def test_an_everyday_phrase_gets_a_good_answer(memory: Memory, clock: Clock, case: dict[str, Any]) -> None:
    async with relaying(memory, clock=clock) as api:
        api.world.languages[42] = case.get("language", "en")
        for number, told in enumerate(case.get("before", ()), 1):
            await api.say(told)
            await api.replies(number)
        before = len(api.sent)
        await api.say(case["say"])
        await api.until(lambda: len(api.sent) > before or bool(api.world.reactions))
    shown = "\n".join(str(message["text"]) for message in api.sent[before:])
    if case.get("meaning"):
        pytest.xfail("no word in common: a model's business")
    assert any(wanted in shown for wanted in case["want"]), shown
    assert not [word for word in case.get("never", ()) if word in shown], shown
    assert not case.get("buttons") or "reply_markup" in api.sent[-1], shown
    async with memory.tables() as tables:
        kept = [row["content"] for row in await tables.fetch("select content from memories where valid_to is null")]
    assert case.get("kept", "") in "\n".join(kept)
