"""Several servers use one database. After one server has acknowledged a change, all servers show this change."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryUnreachable
from tellonce.connect import connect_http
from tellonce_server.app.access_tokens import create_token
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.store.database import as_login
from tests.memory_fixtures import USER, database, forget, value
from tests.server.processes import HttpServer, http_server

pytestmark = pytest.mark.anyio

ROUNDS = 10


@dataclass(frozen=True)
class Two:
    """Two server processes on one database."""

    dsn: str
    one: HttpServer
    other: HttpServer

    async def clients(self, stack: AsyncExitStack, token: str | None = None) -> tuple[MemoryClient, MemoryClient]:
        """A client of each server."""
        first, second = (connect_http(server.url, token or server.token()) for server in (self.one, self.other))
        return await stack.enter_async_context(first), await stack.enter_async_context(second)


@pytest.fixture(scope="module")
async def servers(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> AsyncIterator[Two]:
    folder = tmp_path_factory.mktemp("servers")
    async with (
        database(postgres) as dsn,
        http_server(folder / "one", dsn) as one,
        http_server(folder / "other", dsn) as other,
    ):
        yield Two(dsn, one, other)


async def test_a_write_through_one_process_is_seen_by_the_next_read_of_another(servers: Two) -> None:
    async with AsyncExitStack() as stack:
        writer, reader = await servers.clients(stack)
        for number in range(ROUNDS):
            text = f"The parcel number is {number}77"
            recorded = await writer.record_message(c.RecordMessageArgs(role="user", content=text))
            seen = await reader.get_context(c.GetContextArgs())
            assert text in (seen.context or "")
            found = await reader.search_memory(c.SearchMemoryArgs(query=f"{number}77"))
            assert recorded.id in {result.id for result in found.results}
            writer, reader = reader, writer


async def test_what_one_process_forgot_no_other_process_still_says(servers: Two) -> None:
    async with AsyncExitStack() as stack:
        writer, reader = await servers.clients(stack)
        await writer.remember(c.RememberArgs(content="My locker code is 4417"))
        assert "4417" in ((await reader.get_context(c.GetContextArgs())).context or "")
        await forget(writer, topic="locker code")
        assert "4417" not in ((await reader.get_context(c.GetContextArgs())).context or "")
        assert not (await reader.search_memory(c.SearchMemoryArgs(query="locker code 4417"))).results


async def test_a_revoked_token_is_refused_at_once_everywhere(servers: Two) -> None:
    async with as_login(servers.dsn) as login:
        token = await create_token(login, "lost", USER, ("assistant",), datetime.now(UTC))
    async with AsyncExitStack() as stack:
        client, other = await servers.clients(stack, token)
        for _ in range(2):
            await client.get_profile(c.GetProfileArgs())
            await other.get_profile(c.GetProfileArgs())
        await from_table(servers.dsn, "update access_tokens set revoked_at = now() where name = 'lost'")
        for call in (
            client.get_profile(c.GetProfileArgs()),
            other.remember(c.RememberArgs(content="I live in Oslo")),
            client.get_context(c.GetContextArgs(query="Where do I live?")),
        ):
            with pytest.raises(MemoryUnreachable, match="rejects our access token"):
                await call
    assert await from_table(servers.dsn, "select count(*) from memories where content ~ 'Oslo'") == 0


async def from_table(dsn: str, statement: str) -> int | None:
    """Run a statement as the tables' owner. Returns the first value."""
    found: int | None = await value(dsn, statement)
    return found
