"""The commands that list, search, change, explain and erase memories through the server's tools."""

import json
from typing import Any

import pytest

from tests.chain.home import Home

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_a_memory_is_kept_explained_changed_and_erased_from_a_shell(home: Home) -> None:
    kept = await asked(home, "remember", "I prefer oolong tea", "--kind", "preference")
    number = str(kept["memory"]["id"])
    assert (kept["outcome"], kept["memory"]["kind"]) == ("stored", "preference")
    assert "I prefer oolong tea" in await home.run("memories")
    assert "contains these words" not in await home.run("search", "tea")
    assert (await asked(home, "edit", number, "I prefer white tea"))["content"] == "I prefer white tea"
    told = await home.run("why", number)
    assert "I prefer white tea" in told
    assert "I prefer oolong tea" in told
    assert "corrected by you" in told
    assert "own words" not in told
    assert "Error: Invalid value for '--do': 'x' is not one of" in (await home.failing("edit", number, "--do", "x"))[1]
    preview = await asked(home, "forget", "tea")
    assert preview["matches"]
    assert "Forgotten" in await home.run("forget", "tea", "--confirm", preview["confirm"])


async def test_an_erasure_from_a_shell_keeps_what_is_unticked_and_names_it(home: Home) -> None:
    for content in ("I am allergic to walnuts", "I sell walnut furniture", "I like a walnut cake"):
        await home.run("remember", content)
    preview = await asked(home, "forget", "walnut")
    told = await home.run("forget", "walnut", "--confirm", preview["confirm"], "--keep", "2")
    assert "✓ Erased (1 memory" in told
    assert "2 matches were not ticked and still say it." in told
    assert "other form] I am allergic to walnuts" in told
    told = await home.run("forget", "walnut", "--yes")
    assert "✓ Erased (1 memory" in told
    assert "I am allergic to walnuts" in told
    preview = await asked(home, "forget", "walnut")
    done = await asked(home, "forget", "walnut", "--confirm", preview["confirm"], "--also", "1")
    assert (done["erased"]["memories"], done["kept"]) == (1, [])


async def test_a_file_is_recognized_foreseen_and_imported_once(home: Home) -> None:
    entity = {"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Plays the oboe"]}
    (home.folder / "memory.json").write_text(json.dumps(entity) + "\n")
    foreseen = await home.run("import", "memory.json", "--dry-run")
    assert "recognized as mcp-memory" in foreseen
    assert "1 memory" in foreseen
    assert "1 memory added" in await home.run("import", "memory.json")
    assert "nothing new" in await home.run("import", "mcp-memory", "memory.json")
    assert "imported from another program" in await home.run("why", "1")


async def asked(home: Home, *arguments: str) -> Any:
    """The structured result of a command."""
    return json.loads(await home.run(*arguments, "--json"))


async def test_a_shell_shows_the_day_and_time_at_which_a_date_is_due(home: Home) -> None:
    await home.run("remember", "Passport expires", "--kind", "date", "--deadline", "2027-05-01")
    await home.run("remember", "Passport desk", "--kind", "date", "--deadline", "2027-05-01T09:00:00")
    for shown in (await home.run("memories"), await home.run("search", "passport")):
        assert "Passport expires (Sat, May 1, 2027)" in shown
        assert "Passport desk (Sat, May 1, 2027, 9:00 AM)" in shown
