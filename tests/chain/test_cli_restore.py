"""Tests of restored backups. In some tests, the backup comes from another server or an earlier version. In others, text
was forgotten after the backup."""

import json
from pathlib import Path

import anyio
import pytest

from tellonce import contract as c
from tellonce_server.postgres.embedded_server import bindir
from tests.chain.home import Home
from tests.memory_fixtures import forget
from tests.server.own_postgres import installations, name_of, own_postgres
from tests.stubs import exports

pytestmark = pytest.mark.anyio
CODE = "My locker in Oslo opens with zq77a1"


async def test_no_command_uses_another_memory_than_the_one_that_is_meant(home: Home, other: Home, dsn: str) -> None:
    assert "there is no memory in" in (await home.failing("backup", "none"))[1]
    home.environment["DATABASE_URL"] = dsn
    async with home.up():
        assert "0 messages and 0 memories" in await home.run("backup", "all.zip")
        other.environment |= {"TELLONCE_PORT": str(home.port), "TELLONCE_URL": home.url}
        for command in (("memories",), ("token", "create", "laptop")):
            assert "has another memory" in (await other.failing(*command))[1]
    del home.environment["DATABASE_URL"]
    for args in (("backup", "one.zip"), ("up",)):
        _, out, said = await home._run(args, "")
        assert "DATABASE_URL is not set here" in out + said, args
    _, said = await home.failing("memories")
    assert said.count("DATABASE_URL is not set here") == 1, said
    assert ".." not in said
    assert not (home.folder / "data" / "postgres").exists()
    assert not (other.folder / "data" / "postgres").exists()


async def test_what_was_forgotten_and_which_tokens_were_revoked_since_the_backup_stay_so(home: Home) -> None:
    async with home.up(), home.memory() as memory:
        for name in ("laptop", "tablet"):
            await home.run("token", "create", name)
        await memory.remember(c.RememberArgs(content=CODE))
        await memory.remember(c.RememberArgs(content="I prefer window seats"))
        await memory.record_message(c.RecordMessageArgs(role="user", content=f"{CODE}. Fine?", message_id="u1"))
        named = {"conversation_id": "zq77a1: the trip", "message_thread_id": "about zq77a1"}
        await memory.record_message(c.RecordMessageArgs(role="user", content="Yes", message_id="u2", **named))
        await home.run("backup", "old.tellonce")
        await forget(memory, topic="zq77a1")
        await home.run("token", "revoke", "laptop")
        await home.run("token", "create", "phone")
        tokens = await _tokens(home)
        with pytest.raises(AssertionError, match="in use; stop `tellonce up`"):
            await home.run("restore", "old.tellonce", "--force")
    told = await home.run("restore", "old.tellonce", "--force")
    entries = await home.everything()
    assert await _tokens(home) == tokens
    assert [(line[0], len(line)) for line in tokens if line[0] in ("laptop", "phone")] == [("laptop", 5), ("phone", 4)]
    assert "2 messages and 2 memories. In 2 texts of these, something was forgotten since the backup" in told
    assert "zq77a1" not in json.dumps(entries)
    assert [e["content"] for e in entries if e["type"] == "memory"] == ["I prefer window seats"]
    messages = [e for e in entries if e["type"] == "message"]
    assert [e["content"] for e in messages] == ["Fine?", "Yes"]
    assert messages[1]["conversation"]["name"].startswith("forgotten:")
    # An import that contains the forgotten name does not restore it.
    talk = {**messages[1]["conversation"], "name": named["conversation_id"]}
    named_again = {**messages[1], "message_id": "u3", "conversation": talk, "message_thread_id": "about zq77a1"}
    (home.folder / "more.jsonl").write_text(json.dumps(named_again))
    await home.run("import", "jsonl", "more.jsonl", "--yes")
    threads = [e["thread_key"] for e in await home.everything() if e["type"] == "message"]
    assert (len(threads), threads[1]) == (3, threads[2])
    assert "forgotten:" in threads[1]


@pytest.mark.parametrize("program", installations(), ids=name_of)
async def test_a_backup_goes_back_to_the_server_it_came_from_and_on_to_another(
    home: Home, other: Home, program: Path
) -> None:
    async with own_postgres(program) as server:
        home.environment["DATABASE_URL"] = await server.database("tellonce")
        await home.run("database", "setup")
        exports.telegram(home.folder / "result.json", 300)
        await home.run("import", "telegram", "result.json")
        everything = await home.everything()
        # The backup must work without PostgreSQL's tools, even if they are installed.
        home.environment["PATH"] = "/nonexistent"
        await home.run("backup", "all.tellonce")
        await home.run("restore", "all.tellonce", "--force")
        assert await home.everything() == everything
    await other.run("restore", str(home.folder / "all.tellonce"))
    assert await other.everything() == everything


async def test_a_backup_of_an_earlier_tellonce_made_by_pg_dump_is_restored(home: Home, other: Home, dsn: str) -> None:
    home.environment["DATABASE_URL"] = dsn
    exports.telegram(home.folder / "result.json", 300)
    await home.run("import", "telegram", "result.json")
    file = home.folder / "old.tellonce"
    dump = [str(bindir() / "pg_dump"), "--format=custom", "--no-owner", f"--file={file}", f"--dbname={dsn}"]
    await anyio.run_process(dump)
    await other.run("restore", str(file))
    assert await other.everything() == await home.everything()


async def _tokens(home: Home) -> list[list[str]]:
    """For each token: its name, user and scopes, and the times when it was created and revoked."""
    return [line.split() for line in (await home.run("token", "list")).splitlines()[1:]]
