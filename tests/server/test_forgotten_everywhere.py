"""If one server process forgets a text, no other server process keeps it in a cache."""

from pathlib import Path

import pytest

from tellonce import contract as c
from tellonce.connect import connect_http
from tellonce_server.domain.dependencies import CHANGES
from tellonce_text.claims import claims
from tests.memory_fixtures import Memory, session
from tests.patience import until
from tests.server.processes import http_server

pytestmark = pytest.mark.anyio

SECRET = "My locker opens with zq81"


async def _emptied() -> None:
    await until(lambda: not claims.cache_info().currsize)


async def test_an_erasure_empties_the_caches_of_every_server_process(memory: Memory, tmp_path: Path, dsn: str) -> None:
    async with (
        http_server(tmp_path / "other", dsn) as other,
        connect_http(other.url, other.token()) as client,
    ):
        stored = await client.remember(c.RememberArgs(content=SECRET))
        preview = await client.forget(c.ForgetArgs(memory_ids=(stored.memory.id,)))
        claims(SECRET)
        await client.forget(c.ForgetArgs(memory_ids=(stored.memory.id,), confirm=preview.confirm))
        await _emptied()


async def test_a_server_whose_listener_was_cut_off_empties_its_caches_when_it_listens_again(
    memory: Memory, dsn: str
) -> None:
    async with session(dsn) as connection:
        listening = (
            f"select count(*) from pg_stat_activity where datname = current_database() and query ilike '%{CHANGES}%'"
        )
        await until(lambda: connection.fetchval(listening))
        claims(SECRET)
        await connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
            "and pid <> pg_backend_pid()"
        )
    await _emptied()
