"""A new user starts the whole memory with one command. The test uses real processes, a real PostgreSQL and an empty
home."""

import pytest

from tellonce import contract as c
from tests.chain.home import Home
from tests.patience import until
from tests.stubs import exports

pytestmark = pytest.mark.anyio


async def test_one_command_imports_answers_summarises_and_survives_a_restart(home: Home) -> None:
    planted = exports.telegram(home.folder / "result.json", 500)
    async with home.up():
        first = await home.run("import", "telegram", "result.json")
        again = await home.run("import", "telegram", "result.json")
        question, answer = next(iter(planted.items()))
        told = await home.run("chat", told=f"/remember I work as a Solution Architect at GovTech\n{question}\n")
        async with home.memory() as memory:
            for i in range(25):
                asked = c.RecordMessageArgs(role="user", content=f"I own {i + 2} bikes", message_id=f"u{i}")
                await memory.record_message(asked)
                replied = c.RecordMessageArgs(
                    role="assistant", content=f"Answer {i}", message_id=f"a{i}", exchange_of=f"u{i}"
                )
                await memory.record_message(replied)

            async def done() -> bool:
                summary = await memory.summarize_chat(c.SummarizeChatArgs())
                profile = await memory.get_profile(c.GetProfileArgs())
                idle = not summary.backlog.waiting and not summary.backlog.in_work
                return bool(idle and summary.periods and profile.narrative)

            await until(done)
            summary = await memory.summarize_chat(c.SummarizeChatArgs())
            before = await memory.get_profile(c.GetProfileArgs())
        await until(lambda: _nothing_waits(home))
    assert "497 messages" in first
    assert "nothing new\n497 messages were there already" in again
    code, said = await home.failing("status")
    assert (code, "rejects our access token" in said) == (1, False)
    assert said.startswith("tellonce: no server answers at")
    assert "tellonce up" in said
    assert answer in told
    assert summary.coverage.gap == 0
    assert any("GovTech" in memory.content for memory in before.facts)
    async with home.up(), home.memory() as memory:
        after = await memory.get_profile(c.GetProfileArgs())
    assert [m.content for m in after.facts] == [m.content for m in before.facts]
    assert after.narrative == before.narrative


async def test_doctor_finds_nothing_wrong_in_an_empty_home(home: Home) -> None:
    report = await home.run("doctor")
    assert "✗" not in report
    assert "embedded PostgreSQL 18" in report


async def test_a_command_without_a_server_says_what_to_do(home: Home) -> None:
    with pytest.raises(AssertionError, match="tellonce up"):
        await home.run("status")


async def _nothing_waits(home: Home) -> bool:
    return "queue      empty" in await home.run("status")
