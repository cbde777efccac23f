"""`tellonce backup`, `restore` and `export` as a person runs them, on a real embedded PostgreSQL."""

import re
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tellonce.settings import ServerSettings
from tellonce_cli.database import hidden_owner
from tellonce_server.backup.restore import Texts
from tests.chain.home import Home
from tests.memory_disk import small_disk
from tests.server.processes import free_port
from tests.stubs import exports

pytestmark = pytest.mark.anyio
MOVE = " database move-user 1 "


@dataclass(frozen=True)
class Saved:
    """A home with an imported chat, the contents of its memory, and its backup."""

    home: Home
    everything: list[dict[str, Any]]
    file: Path
    told: str

    async def is_unchanged(self) -> bool:
        return await self.home.everything() == self.everything


@pytest.fixture(scope="module")
async def saved(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Saved]:
    """A home with a backup. The tests that use it do not change its memory."""
    home = Home(tmp_path_factory.mktemp("saved"))
    exports.telegram(home.folder / "result.json", 300)
    await home.run("import", "telegram", "result.json")
    told = await home.run("backup", "all.tellonce")
    yield Saved(home, await home.everything(), home.folder / "all.tellonce", told)
    home.discard()


async def test_a_backup_restores_everything_into_an_empty_home_and_never_overwrites_unasked(
    saved: Saved, other: Home
) -> None:
    restored = await other.run("restore", str(saved.file))
    with pytest.raises(AssertionError, match=r"0 messages and 0 memories\), which a restore would replace.*--force"):
        await other.run("restore", str(saved.file))
    with pytest.raises(AssertionError, match="choose another file"):
        await saved.home.run("backup", saved.file.name)
    assert "keep it safe" in saved.told
    assert "last backup: less than an hour ago" in await saved.home.run("doctor")
    assert "no backup was made" in await other.run("doctor")
    assert "forgotten" not in restored, "nothing was"
    assert re.search(r"all.tellonce: \d+ messages and 0 memories, \d+\.\d kB", saved.told)
    assert saved.file.stat().st_mode & 0o077 == 0
    assert await other.everything() == saved.everything
    assert await saved.is_unchanged()


async def test_a_forced_restore_says_how_much_newer_it_replaces(saved: Saved, other: Home) -> None:
    await other.run("restore", str(saved.file))
    await other.run("remember", "I keep bees")
    refused = (await other.failing("restore", str(saved.file)))[1]
    told = await other.run("restore", str(saved.file), "--force")
    assert [
        re.findall(r"newer than this backup of \d{4}-.*: (\d+ messages and \d+ memor\w+)\)", x) for x in (refused, told)
    ] == [["0 messages and 1 memory"]] * 2


async def test_an_export_can_be_imported_into_an_empty_home_with_nothing_lost(saved: Saved, other: Home) -> None:
    file = saved.home.folder / "all.jsonl"
    told = await saved.home.run("export", file.name)
    exported = file.read_bytes()
    assert "already exists" in (await saved.home.failing("export", file.name))[1]
    assert file.read_bytes() == exported
    assert "are in all.jsonl" in told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await other.run("import", "jsonl", str(file))
    assert _messages(await other.everything()) == _messages(saved.everything)


async def test_an_export_to_a_full_disk_is_refused_and_leaves_no_part_of_it(saved: Saved) -> None:
    with small_disk("16k") as disk:
        code, said = await saved.home.failing("export", str(disk / "all.jsonl"))
        assert (code, "No space left on device; choose another file" in said) == (1, True)
        assert list(disk.iterdir()) == []


async def test_a_memory_of_another_user_is_named_with_the_command_that_moves_it(saved: Saved, other: Home) -> None:
    other.environment["TELEGRAM_USER_ID"] = "4242"
    restored = await other.run("restore", str(saved.file))
    held = len(_messages(saved.everything))
    assert f"{held} messages and 0 memories belong to the local user" in restored
    assert f"{MOVE}4242" in restored
    code, report = await other.report("doctor")
    assert (code, f"{MOVE}4242" in report) == (1, True)
    move = ("database", "move-user", "1", "4242")
    assert "use --yes" in (await other.failing(*move))[1]
    assert f"User 1 has {held} messages and 0 memories" in await other.run(*move, "--yes")
    assert MOVE not in await other.run("doctor")  # this call succeeds, so nothing else is wrong
    assert _messages(await other.everything()) == _messages(saved.everything)


async def test_a_memory_is_added_to_another_only_if_asked(saved: Saved, other: Home) -> None:
    await other.run("restore", str(saved.file))
    other.environment["TELEGRAM_USER_ID"] = "4242"
    own = other.folder / "own.jsonl"
    own.write_text('{"type": "memory", "content": "I keep bees", "kind": "fact"}\n')
    await other.run("import", "own.jsonl")
    move = ("database", "move-user", "1", "4242", "--yes")
    assert "--join" in (await other.failing(*move))[1]
    await other.run(*move, "--join")
    everything = await other.everything()
    assert _messages(everything) == _messages(saved.everything)
    assert "I keep bees" in [e["content"] for e in everything if e["type"] == "memory"]
    assert "nothing to move" in (await other.failing(*move))[1]


def test_the_local_users_memory_is_named_until_it_is_moved() -> None:
    def advice(user: str, **texts: int) -> str:
        held = {int(owner.strip("u")): Texts(0, count) for owner, count in texts.items()}
        return hidden_owner(held, ServerSettings(user_ids=user)) or ""

    assert advice("42", u1=62).endswith(f"{MOVE}42")
    assert advice("42", u1=62, u42=3).endswith(f"{MOVE}42 --join")
    assert advice("42", u1=62, u42=60).endswith(f"{MOVE}42 --join")
    assert advice("42", u1=2, u42=60).endswith(f"{MOVE}42 --join")
    assert not advice("42", u1=0, u42=60)
    assert "memory of user 4242: set TELEGRAM_USER_ID=4242" in advice("", u4242=5)
    assert not advice("", u1=1, u4242=5)
    assert not advice("42,43", u43=5)
    assert not advice("42")


def _messages(everything: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(e["message_id"], e["role"], e["content"], e["sent_at"]) for e in everything if e["type"] == "message"]


async def test_a_backup_moves_a_memory_to_a_server_of_ones_own_and_back(saved: Saved, other: Home, dsn: str) -> None:
    other.environment["DATABASE_URL"] = dsn
    await other.run("restore", str(saved.file))
    assert await other.everything() == saved.everything
    with pytest.raises(AssertionError, match=r"0 messages and 0 memories\), which a restore would replace.*--force"):
        await other.run("restore", str(saved.file))
    await other.run("backup", "there.tellonce")
    await saved.home.run("restore", str(other.folder / "there.tellonce"), "--force")
    assert await saved.is_unchanged()


async def test_an_unreachable_database_is_reported_in_a_sentence(home: Home) -> None:
    home.environment["DATABASE_URL"] = f"postgresql://me:hunter2@127.0.0.1:{free_port()}/tellonce"
    code, said = await home.failing("backup", "mine.dump")
    assert (code, said.count("\n")) == (1, 1)
    assert "tellonce doctor" in said
    assert "hunter2" not in said
    assert not (home.folder / "mine.dump").exists()


async def test_a_damaged_backup_and_a_file_that_is_none_change_nothing(saved: Saved) -> None:
    folder, whole = saved.home.folder, saved.file.read_bytes()
    at = len(whole) // 3
    (folder / "bent").write_bytes(whole[:at] + bytes(byte ^ 0x5A for byte in whole[at : at + 64]) + whole[at + 64 :])
    (folder / "torn").write_bytes(whole[: 2 * at])
    (folder / "other").write_text("nothing of the kind")
    for file, reason in (("bent", ""), ("torn", "not a complete backup"), ("other", "not a complete backup")):
        code, said = await saved.home.failing("restore", file, "--force")
        assert (code, said.count("Traceback"), reason in said) == (1, 0, True), said
    assert await saved.is_unchanged()
