"""A new user starts the whole memory by one command: with real processes, a real PostgreSQL and an empty home."""

import json
import stat
from pathlib import Path

import httpx2
import pytest

from tellonce import contract as c
from tests.chain.home import Home, eventually
from tests.stubs import exports

pytestmark = pytest.mark.anyio


async def test_one_command_imports_answers_summarises_and_survives_a_restart(home: Home) -> None:
    planted = exports.telegram(home.folder / "result.json", 1500)
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

            await eventually(done)
            summary = await memory.summarize_chat(c.SummarizeChatArgs())
            before = await memory.get_profile(c.GetProfileArgs())
        await eventually(lambda: _nothing_waits(home))
    assert "1497 messages" in first
    assert "0 messages and 0 memories added, 1497 messages were there already" in again
    assert answer in told
    assert summary.coverage.gap == 0
    assert any("GovTech" in memory.content for memory in before.facts)
    async with home.up(), home.memory() as memory:
        after = await memory.get_profile(c.GetProfileArgs())
    assert [m.content for m in after.facts] == [m.content for m in before.facts]
    assert after.narrative == before.narrative


async def test_everything_stops_with_a_killed_up_and_comes_back(home: Home) -> None:
    async with home.up() as process:
        async with home.memory() as memory:
            await memory.remember(c.RememberArgs(content="I prefer window seats"))
        process.kill()
        await process.wait()
        await eventually(lambda: _silent(home.url))
    async with home.up(), home.memory() as memory:
        profile = await memory.get_profile(c.GetProfileArgs())
    assert [m.content for m in profile.facts] == ["I prefer window seats"]


async def _silent(url: str) -> bool:
    try:
        async with httpx2.AsyncClient(trust_env=False) as http:
            await http.get(url.replace("/mcp", "/health"))
    except httpx2.HTTPError:
        return True
    return False


async def test_an_export_can_be_imported_into_an_empty_home_with_nothing_lost(
    home: Home, tmp_path_factory: pytest.TempPathFactory
) -> None:
    exports.telegram(home.folder / "result.json", 300)
    await home.run("import", "telegram", "result.json")
    (home.folder / "all.jsonl").touch(0o644)
    told = await home.run("export", "all.jsonl")
    assert "are in all.jsonl" in told
    assert stat.S_IMODE((home.folder / "all.jsonl").stat().st_mode) == 0o600
    other = Home(tmp_path_factory.mktemp("other"))
    await other.run("import", "jsonl", str(home.folder / "all.jsonl"))
    await other.run("export", "all.jsonl")
    other.discard()
    assert _messages(other.folder / "all.jsonl") == _messages(home.folder / "all.jsonl")


def _messages(file: Path) -> list[tuple[str, str, str, str]]:
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    return [(e["message_id"], e["role"], e["content"], e["sent_at"]) for e in entries if e["type"] == "message"]


async def test_doctor_finds_nothing_wrong_in_an_empty_home(home: Home) -> None:
    report = await home.run("doctor")
    assert "✗" not in report
    assert "embedded PostgreSQL 18" in report


async def test_a_command_without_a_server_says_what_to_do(home: Home) -> None:
    with pytest.raises(AssertionError, match="tellonce up"):
        await home.run("status")


async def _nothing_waits(home: Home) -> bool:
    return "queue      empty" in await home.run("status")
