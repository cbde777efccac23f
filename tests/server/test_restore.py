"""A restore keeps the tombstones and tokens of this memory in the same transaction, so a kill cannot separate them."""

from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce_server.app.access_tokens import create_token
from tellonce_server.app.bootstrap import KEY_NAME
from tellonce_server.backup.archive import BackupRefused, opened, write
from tellonce_server.backup.restore import aside, replace, texts_held
from tellonce_server.store.database import as_login
from tests.memory_fixtures import START, USER, Clock, Memory, forget, session

pytestmark = pytest.mark.anyio

HELD = "select (select count(*) from tombstones), (select count(*) from access_tokens where name = 'new')"


async def test_a_restore_that_fails_at_its_end_changes_nothing(
    memory: Memory, clock: Clock, dsn: str, tmp_path: Path
) -> None:
    file = tmp_path / "old.tellonce"
    async with memory.client() as client, memory.tables() as tables:
        await client.remember(c.RememberArgs(content="My locker opens with zq77a1"))
        await client.remember(c.RememberArgs(content="I keep bees"))
        await write(tables, file)
        await forget(client, topic="zq77a1")
    async with as_login(dsn) as login:
        await create_token(login, "new", USER, ("assistant",), clock())
    async with session(dsn) as tables:
        kept, before = await aside(tables, KEY_NAME), (await texts_held(tables), await tables.fetchrow(HELD))
        with opened(file) as archive, pytest.raises(BackupRefused, match="nothing was changed"):
            await replace(dsn, file, archive, kept._replace(tokens="not json"), KEY_NAME)
        assert (await texts_held(tables), await tables.fetchrow(HELD)) == before
        with opened(file) as archive:
            assert await replace(dsn, file, archive, kept, KEY_NAME) == 1
        assert await texts_held(tables) == {USER: (0, 2)}
        assert await tables.fetchrow(HELD) == before[1]


async def test_a_restore_keeps_which_times_are_whole_days(memory: Memory, dsn: str, tmp_path: Path) -> None:
    file, held = tmp_path / "old.tellonce", "select deadline_is_day, happens_on_days from memories"
    async with memory.client() as client, memory.tables() as tables:
        await client.remember(c.RememberArgs(content="Fair", kind="date", deadline=START))
        await tables.execute("update memories set deadline_is_day = true, happens_on_days = true")
        await write(tables, file)
    async with session(dsn) as tables:
        with opened(file) as archive:
            await replace(dsn, file, archive, await aside(tables, KEY_NAME), KEY_NAME)
        assert tuple(await tables.fetchrow(held) or ()) == (True, True)
        await tables.execute("update memories set deadline = '2026-05-01 00:00+08'")
        await tables.execute("update memories set deadline = '2026-05-01 09:00+08'")
        assert not (await tables.fetchrow(held) or (True,))[0]
