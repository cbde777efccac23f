"""A short run of the kill test. `python -m benchmarks.relay_kills` runs it for longer."""

from pathlib import Path

import pytest

from tests.chain import chaos
from tests.chain.product import Whole, whole
from tests.depth import depth

pytestmark = pytest.mark.anyio

MESSAGES, KILLS = depth(26, 40), depth(3, 4)


async def test_killed_processes_lose_double_and_reorder_nothing(tmp_path: Path) -> None:
    async with whole(tmp_path, users=chaos.USERS, **chaos.ENVIRONMENT) as life:
        run = await chaos.run(life, messages=MESSAGES, kills=KILLS, seed=7)
        assert run.faults == [], str(run)
        assert run.messages == MESSAGES
        assert sum(run.kills.values()) == KILLS
        assert run.bells.moments
        await a_fault_would_be_seen(life, run)


async def a_fault_would_be_seen(life: Whole, run: chaos.Run) -> None:
    """Check that the invariants detect a doubled answer, two swapped answers, a lost row, and a reminder that rang
    twice."""
    thread = run.threads[0]
    first, second, third = [
        message for message in life.telegram.sent if thread.thread_of(message) and chaos.ANSWER.match(message["text"])
    ][:3]
    life.telegram.sent.append(dict(first))
    second["text"], third["text"] = third["text"], second["text"]
    lost = await life.value(
        "update messages set exchange_of = null where chat_id = $1 and content = $2 returning content",
        *(thread.chat, first["text"]),
    )
    bell = next(iter(run.bells.moments))
    life.telegram.sent.append(next(dict(m) for m in life.telegram.sent if m["text"].startswith(f"⏰ ring {bell}")))
    found = "\n".join(await chaos.faults(life, run.threads, run.bells))
    assert f"{bell} rang 2 times" in found
    assert "was answered 2 times" in found
    assert f"thread {thread.number}: order" in found
    assert lost is not None
    assert "answers None" in found
