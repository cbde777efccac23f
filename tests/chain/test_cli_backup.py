"""`tellonce backup`, `restore` and `export` as a person runs them, on a real embedded PostgreSQL."""

import json
import stat
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_cli.holders import MOVE, named
from tellonce_server.store.postgres.embedded import bindir
from tests.chain.home import Home
from tests.server.own_postgres import installations, name_of, own_postgres
from tests.server.processes import free_port
from tests.stubs import exports

pytestmark = pytest.mark.anyio
CODE = "My locker in Oslo opens with zq77a1"


@dataclass(frozen=True)
class Saved:
    """A home with an imported chat, what it contains, and its backup."""

    home: Home
    everything: list[dict[str, Any]]
    file: Path
    told: str

    async def is_unchanged(self) -> bool:
        return await _everything(self.home) == self.everything


@pytest.fixture(scope="module")
async def saved(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Saved]:
    """One home for the tests that leave its memory as it is."""
    home = Home(tmp_path_factory.mktemp("saved"))
    exports.telegram(home.folder / "result.json", 300)
    await home.run("import", "telegram", "result.json")
    told = await home.run("backup", "all.tellonce")
    yield Saved(home, await _everything(home), home.folder / "all.tellonce", told)
    home.discard()


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("other"))
    yield home
    home.discard()


async def test_a_backup_restores_everything_into_an_empty_home_and_never_overwrites_unasked(
    saved: Saved, other: Home
) -> None:
    restored = await other.run("restore", str(saved.file))
    with pytest.raises(AssertionError, match=r"would replace.*--force"):
        await other.run("restore", str(saved.file))
    with pytest.raises(AssertionError, match="choose another file"):
        await saved.home.run("backup", saved.file.name)
    assert "keep it safe" in saved.told
    assert "may bring back what was forgotten" in restored
    assert saved.file.stat().st_mode & 0o077 == 0
    assert await _everything(other) == saved.everything
    assert await saved.is_unchanged()


async def test_an_export_can_be_imported_into_an_empty_home_with_nothing_lost(saved: Saved, other: Home) -> None:
    file = saved.home.folder / "all.jsonl"
    file.touch(0o644)
    told = await saved.home.run("export", file.name)
    assert "are in all.jsonl" in told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await other.run("import", "jsonl", str(file))
    assert _messages(await _everything(other)) == _messages(saved.everything)


async def test_a_memory_of_another_user_is_named_with_the_command_that_copies_it(saved: Saved, other: Home) -> None:
    other.environment["TELEGRAM_USER_ID"] = "4242"
    restored = await other.run("restore", str(saved.file))
    held = len(_messages(saved.everything))
    assert f"{held} messages and memories belong to the local user" in restored
    assert MOVE in restored
    assert MOVE in await other.run("doctor")
    other.environment["TELEGRAM_USER_ID"] = "1"
    await other.run("export", "mine.jsonl")
    other.environment["TELEGRAM_USER_ID"] = "4242"
    await other.run("import", "mine.jsonl")
    assert MOVE not in await other.run("doctor")
    assert _messages(await _everything(other)) == _messages(saved.everything)


def test_a_memory_is_hidden_only_while_its_user_has_far_less_of_it() -> None:
    def told(user: str, **texts: int) -> str:
        held = {int(owner.strip("u")): count for owner, count in texts.items()}
        return named(held, ServerSettings(user_ids=user)) or ""

    assert MOVE in told("42", u1=62)
    assert MOVE in told("42", u1=62, u42=3)
    assert not told("42", u1=62, u42=60)
    assert "memory of user 4242: set TELEGRAM_USER_ID=4242" in told("", u4242=5)
    assert not told("", u1=1, u4242=5)
    assert not told("42,43", u43=5)
    assert not told("42")


def _messages(everything: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(e["message_id"], e["role"], e["content"], e["sent_at"]) for e in everything if e["type"] == "message"]


async def test_no_command_uses_another_memory_than_the_one_that_is_meant(home: Home, other: Home, dsn: str) -> None:
    assert "there is no memory in" in (await home.failing("backup", "none"))[1]
    home.environment["DATABASE_URL"] = dsn
    async with home.up():
        assert "0 messages and memories" in await home.run("backup", "all.zip")
        other.environment |= {"TELLONCE_PORT": str(home.port), "TELLONCE_URL": home.url}
        for command in (("memories",), ("token", "create", "laptop")):
            assert "has another memory" in (await other.failing(*command))[1]
    del home.environment["DATABASE_URL"]
    for command in (("backup", "one.zip"), ("up",)):
        _, out, said = await home._run(command, "")
        assert "DATABASE_URL is not set here" in out + said, command
    assert not (home.folder / "data" / "postgres").exists()
    assert not (other.folder / "data" / "postgres").exists()


async def test_a_backup_moves_a_memory_to_a_server_of_ones_own_and_back(saved: Saved, other: Home, dsn: str) -> None:
    other.environment["DATABASE_URL"] = dsn
    await other.run("restore", str(saved.file))
    assert await _everything(other) == saved.everything
    with pytest.raises(AssertionError, match=r"would replace.*--force"):
        await other.run("restore", str(saved.file))
    await other.run("backup", "there.tellonce")
    await saved.home.run("restore", str(other.folder / "there.tellonce"), "--force")
    assert await saved.is_unchanged()


async def test_what_was_forgotten_and_which_tokens_were_revoked_since_the_backup_stay_so(home: Home) -> None:
    async with home.up(), home.memory() as memory:
        for name in ("laptop", "tablet"):
            await home.run("token", "create", name)
        await memory.remember(c.RememberArgs(content=CODE))
        await memory.remember(c.RememberArgs(content="I prefer window seats"))
        await memory.record_message(c.RecordMessageArgs(role="user", content=f"{CODE}. Fine?", message_id="u1"))
        await home.run("backup", "old.tellonce")
        shown = await memory.forget(c.ForgetArgs(topic="zq77a1"))
        await memory.forget(c.ForgetArgs(topic="zq77a1", confirm=shown.confirm))
        await home.run("token", "revoke", "laptop")
        await home.run("token", "create", "phone")
        tokens = await _tokens(home)
        with pytest.raises(AssertionError, match="in use; stop `tellonce up`"):
            await home.run("restore", "old.tellonce", "--force")
    told = await home.run("restore", "old.tellonce", "--force")
    entries = await _everything(home)
    assert await _tokens(home) == tokens
    assert [(line[0], len(line)) for line in tokens if line[0] in ("laptop", "phone")] == [("laptop", 5), ("phone", 4)]
    assert "2 memories and messages that were forgotten since the backup were erased again" in told
    assert "zq77a1" not in json.dumps(entries)
    assert [e["content"] for e in entries if e["type"] == "memory"] == ["I prefer window seats"]
    assert [e["content"] for e in entries if e["type"] == "message"] == ["Fine?"]


async def test_a_database_that_is_away_is_told_in_a_sentence(home: Home) -> None:
    home.environment["DATABASE_URL"] = f"postgresql://me:hunter2@127.0.0.1:{free_port()}/tellonce"
    code, said = await home.failing("backup", "mine.dump")
    assert (code, said.count("\n")) == (1, 1)
    assert "tellonce doctor" in said
    assert "hunter2" not in said
    assert not (home.folder / "mine.dump").exists()


@pytest.mark.parametrize("program", installations(), ids=name_of)
async def test_a_backup_goes_back_to_the_server_it_came_from_and_on_to_another(
    home: Home, other: Home, program: Path
) -> None:
    async with own_postgres(program) as server:
        home.environment["DATABASE_URL"] = await server.database("tellonce")
        await home.run("database", "setup")
        exports.telegram(home.folder / "result.json", 300)
        await home.run("import", "telegram", "result.json")
        everything = await _everything(home)
        # The backup must work without PostgreSQL's tools, even if they are installed.
        home.environment["PATH"] = "/nonexistent"
        await home.run("backup", "all.tellonce")
        await home.run("restore", "all.tellonce", "--force")
        assert await _everything(home) == everything
    await other.run("restore", str(home.folder / "all.tellonce"))
    assert await _everything(other) == everything


async def test_a_damaged_backup_and_a_file_that_is_none_change_nothing(saved: Saved) -> None:
    folder, whole = saved.home.folder, saved.file.read_bytes()
    at = len(whole) // 3
    (folder / "bent").write_bytes(whole[:at] + bytes(byte ^ 0x5A for byte in whole[at : at + 64]) + whole[at + 64 :])
    (folder / "torn").write_bytes(whole[: 2 * at])
    (folder / "other").write_text("nothing of the kind")
    for file, reason in (("bent", ""), ("torn", ""), ("other", "pg_restore failed")):
        code, said = await saved.home.failing("restore", file, "--force")
        assert (code, said.count("Traceback"), reason in said) == (1, 0, True), said
    assert await saved.is_unchanged()


async def test_a_backup_of_an_earlier_tellonce_made_by_pg_dump_is_restored(home: Home, other: Home, dsn: str) -> None:
    home.environment["DATABASE_URL"] = dsn
    exports.telegram(home.folder / "result.json", 300)
    await home.run("import", "telegram", "result.json")
    file = home.folder / "old.tellonce"
    dump = [str(bindir() / "pg_dump"), "--format=custom", "--no-owner", f"--file={file}", f"--dbname={dsn}"]
    await anyio.run_process(dump)
    await other.run("restore", str(file))
    assert await _everything(other) == await _everything(home)


async def _tokens(home: Home) -> list[list[str]]:
    """Each token's name, user, scopes, and times of creation and revocation."""
    return [line.split() for line in (await home.run("token", "list")).splitlines()[1:]]


async def _everything(home: Home) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (await home.run("export")).splitlines()]
