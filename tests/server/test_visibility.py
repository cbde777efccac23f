"""With several servers on one database, every read sees what any server has acknowledged."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryUnreachable
from tellonce.connect import connect_http
from tests.server.processes import http_server

pytestmark = pytest.mark.anyio

ROUNDS = 10


async def test_a_write_through_one_process_is_seen_by_the_next_read_of_another(tmp_path: Path, dsn: str) -> None:
    async with two_servers(tmp_path, dsn) as (writer, reader):
        for number in range(ROUNDS):
            text = f"The parcel number is {number}77"
            recorded = await writer.record_message(c.RecordMessageArgs(role="user", content=text))
            seen = await reader.get_context(c.GetContextArgs())
            assert text in (seen.context or "")
            found = await reader.search_memory(c.SearchMemoryArgs(query=f"{number}77"))
            assert recorded.id in {result.id for result in found.results}
            writer, reader = reader, writer


async def test_what_one_process_forgot_no_other_process_still_says(tmp_path: Path, dsn: str) -> None:
    async with two_servers(tmp_path, dsn) as (writer, reader):
        await writer.remember(c.RememberArgs(content="My locker code is 4417"))
        assert "4417" in ((await reader.get_context(c.GetContextArgs())).context or "")
        preview = await writer.forget(c.ForgetArgs(topic="locker code"))
        await writer.forget(c.ForgetArgs(topic="locker code", confirm=preview.confirm))
        assert "4417" not in ((await reader.get_context(c.GetContextArgs())).context or "")
        assert not (await reader.search_memory(c.SearchMemoryArgs(query="locker code 4417"))).results


async def test_a_revoked_token_is_refused_at_once_everywhere(tmp_path: Path, dsn: str) -> None:
    """A process that has just served the credential neither answers with it nor writes for it any more."""
    async with two_servers(tmp_path, dsn) as (other, client):
        for _ in range(2):
            await client.get_profile(c.GetProfileArgs())
            await other.get_profile(c.GetProfileArgs())
        await revoke_all(dsn)
        for call in (
            client.get_profile(c.GetProfileArgs()),
            other.remember(c.RememberArgs(content="I live in Oslo")),
            client.get_context(c.GetContextArgs(query="Where do I live?")),
        ):
            with pytest.raises(MemoryUnreachable, match="rejects our access token"):
                await call
    assert not await stored_memories(dsn)


async def stored_memories(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    count: int = await connection.fetchval("select count(*) from memories")
    await connection.close()
    return count


@asynccontextmanager
async def two_servers(folder: Path, dsn: str) -> AsyncGenerator[tuple[MemoryClient, MemoryClient]]:
    """A client of each of two server processes on one database."""
    async with (
        http_server(folder / "one", dsn) as one,
        http_server(folder / "two", dsn) as two,
        connect_http(one.url, one.token()) as first,
        connect_http(two.url, two.token()) as second,
    ):
        yield first, second


async def revoke_all(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("update access_tokens set revoked_at = now()")
    await connection.close()
