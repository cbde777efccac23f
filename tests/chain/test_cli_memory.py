"""The memory from a shell: listed, searched, changed, explained and erased through the server's tools, for people and scripts."""

import json
from typing import Any

import pytest

from tests.chain.home import Home

pytestmark = pytest.mark.anyio


async def test_a_memory_is_kept_found_explained_changed_and_erased_from_a_shell(home: Home) -> None:
    async with home.up():
        kept = await asked(home, "remember", "I prefer oolong tea", "--kind", "preference")
        number = str(kept["memory"]["id"])
        assert (kept["outcome"], kept["memory"]["kind"]) == ("stored", "preference")
        assert "Remembered:" in await home.run("remember", "My goal is to learn the cello by May 2031", "--pin")
        listed = await asked(home, "memories", "--kind", "preference")
        assert ([m["content"] for m in listed["preferences"]], listed["goals"]) == (["I prefer oolong tea"], [])
        second = await home.run("memories", "--limit", "1", "--page", "2")
        assert "oolong" in second
        assert "cello" not in second
        assert "there is no page 9" in (await home.failing("memories", "--page", "9"))[1]
        found = await asked(home, "search", "oolong", "--kind", "preference", "--kind", "fact")
        assert [str(one["id"]) for one in found["results"]] == [number]
        assert (await asked(home, "edit", number, "I prefer white tea"))["content"] == "I prefer white tea"
        assert (await asked(home, "edit", number, "--do", "pin"))["pinned"]
        told = await home.run("why", number)
        assert "I prefer white tea" in told
        assert "I prefer oolong tea" in told
        assert "since: " in (await home.failing("search", "tea", "--since", "soon"))[1]
        assert "memory 999" in (await home.failing("why", "999"))[1]
        preview = await asked(home, "forget", "tea")
        assert preview["matches"]
        done = await asked(home, "forget", "tea", "--confirm", preview["confirm"])
        assert (done["receipt"] is not None, done["traces_left"]) == (True, 0)
        assert "Kept." in await home.run("forget", "cello", told="\n")
        assert "cello" in await home.run("memories", "--status", "active")
        assert "cello" in (await home.run("forget", "cello", told="y\n"))
    assert "Nothing is known yet." in await home.run("memories")


async def test_a_file_is_recognized_foreseen_and_imported_once(home: Home) -> None:
    entities = [{"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Plays the oboe"]}]
    entities.append({"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Sings alto"]})
    (home.folder / "memory.json").write_text("".join(json.dumps(entity) + "\n" for entity in entities))
    (home.folder / "notes").mkdir()
    (home.folder / "notes" / "2025-02-03.md").write_text("I adopted a cat called Mochi.\n")
    (home.folder / ".env").write_text("TELLONCE_PROT=1\n")
    foreseen = await home.run("import", "memory.json", "--dry-run")
    assert "recognized as mcp-memory" in foreseen
    assert "2 memories" in foreseen
    assert "Nothing is known yet." in await home.run("memories")
    assert "and 2 memories added" in await home.run("import", "memory.json")
    assert "and 0 memories added" in await home.run("import", "mcp-memory", "memory.json")
    assert "1 message and 0 memories added" in await home.run("import", "notes", "--yes")
    listed = await asked(home, "memories")
    assert {(m["content"], m["about"], m["origin"]) for m in listed["facts"]} >= {
        ("Plays the oboe", "user", "import"),
        ("Ana: Sings alto", "Ana", "import"),
    }
    assert [one["at"][:10] for one in (await asked(home, "search", "Mochi"))["results"]] == ["2025-02-03"]
    assert "TELLONCE_PROT in .env is not a setting and has no effect; did you mean TELLONCE_PORT?" in await home.run(
        "doctor"
    )


async def asked(home: Home, *arguments: str) -> Any:
    """The structured result of a command."""
    return json.loads(await home.run(*arguments, "--json"))
