"""Behind a transaction pooler, every user finds all of their own memory and nothing else. If this cannot be guaranteed,
the server refuses to start."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.connect import connect_http
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import StorageRefused, StorageUnavailable
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.route import find_route, is_pooled
from tellonce_server.store import memories
from tellonce_server.store.database import Database, open_database, open_routed
from tests.server.bouncer import NAMED, address, bouncer, installed, keeps_statements, version
from tests.server.processes import HttpServer, http_server

pytestmark = pytest.mark.anyio

PROGRAMS = installed()
with_bouncer = pytest.mark.skipif(
    not PROGRAMS, reason="NO PGBOUNCER HERE: the pooler is not tested. Install it (Debian: apt install pgbouncer)."
)
USERS = (42, 43, 44, 45)
EACH = 12


@pytest.fixture(params=PROGRAMS, ids=lambda program: f"{'.'.join(map(str, version(program)))}")
async def pool(request: pytest.FixtureRequest, postgres: EmbeddedPostgres) -> AsyncIterator[Path]:
    program: Path = request.param
    async with bouncer(program, postgres, more=NAMED if keeps_statements(program) else "") as folder:
        yield folder


@asynccontextmanager
async def person(server: HttpServer) -> AsyncGenerator[MemoryClient]:
    async with connect_http(server.url, server.token("relay")) as client:
        yield client


async def live(client: MemoryClient, user: int) -> int:
    """Record and search repeatedly. Returns the number of messages that were not found. Fails if a message of another
    user is found."""
    missed = 0
    for number in range(EACH):
        word = f"zebra{user}x{number}"
        said = c.RecordMessageArgs(role="user", content=f"My {word} sleeps.", chat_id=user, message_id=str(number))
        await client.record_message(said)
        found = await client.search_memory(c.SearchMemoryArgs(query=f"{word} sleeps", chat_id=user, limit=50))
        texts = str(found.model_dump())
        missed += word not in texts
        assert not [other for other in USERS if other != user and f"zebra{other}x" in texts]
    return missed


@with_bouncer
async def test_every_user_finds_what_they_said_through_a_transaction_pooler(
    pool: Path, dsn: str, tmp_path: Path
) -> None:
    users = {"TELEGRAM_USER_ID": ",".join(map(str, USERS))}
    async with (
        http_server(tmp_path / "data", address(pool, dsn), DATABASE_DIRECT_URL=dsn, **users) as server,
        person(server) as client,
    ):
        missed = await asyncio.gather(*(live(client, user) for user in USERS))
    assert missed == [0] * len(USERS)


@with_bouncer
async def test_a_pooler_without_a_direct_address_keeps_the_server_shut(pool: Path, dsn: str) -> None:
    with pytest.raises(StorageRefused, match="DATABASE_DIRECT_URL"):
        await find_route(address(pool, dsn), None)
    with pytest.raises(StorageRefused, match="DATABASE_DIRECT_URL also leads to a connection pooler"):
        await find_route(address(pool, dsn), address(pool, dsn))


@with_bouncer
async def test_a_server_behind_a_pooler_alone_is_not_ready_and_says_what_to_set(
    postgres: EmbeddedPostgres, settings: ServerSettings
) -> None:
    assert settings.database_url is not None
    async with bouncer(PROGRAMS[-1], postgres) as folder:
        through = SecretStr(address(folder, settings.database_url.get_secret_value()))
        storage = Storage(settings.model_copy(update={"database_url": through}))
        async with storage.running():
            with pytest.raises(StorageUnavailable, match="set DATABASE_DIRECT_URL"):
                await storage.services()
            health = await storage.health()
    assert not health["ready"]
    assert "DATABASE_DIRECT_URL" in health["reason"]


@with_bouncer
async def test_named_statements_are_used_only_where_the_pooler_keeps_them(postgres: EmbeddedPostgres, dsn: str) -> None:
    for program in PROGRAMS:
        for more in ("", NAMED) if keeps_statements(program) else ("",):
            async with bouncer(program, postgres, more=more or _none(program)) as folder:
                route = await find_route(address(folder, dsn), dsn)
                assert route.pooled
                assert route.named == (more == NAMED)


def _none(program: Path) -> str:
    return "max_prepared_statements = 0" if keeps_statements(program) else ""


@with_bouncer
async def test_a_pooler_in_session_mode_is_taken_for_one_too(postgres: EmbeddedPostgres, dsn: str) -> None:
    async with bouncer(PROGRAMS[-1], postgres, mode="session") as folder:
        assert await is_pooled(address(folder, dsn))
    assert not await is_pooled(dsn)


@with_bouncer
async def test_connections_shared_by_many_owners_show_each_its_own_rows(pool: Path, dsn: str) -> None:
    database = await open_routed(await find_route(address(pool, dsn), dsn))
    try:
        owners = range(1, 40)
        await asyncio.gather(*(_remember(dsn, owner) for owner in owners))
        for _ in range(3):
            found = await asyncio.gather(*(memories.all_of_owner(database, owner) for owner in owners))
            assert [[memory.content for memory in own] for own in found] == [[f"of {owner}"] for owner in owners]
        async with database.transaction() as t:
            for owner in owners:
                assert len(await memories.all_of_owner(t, owner)) == 1
    finally:
        await database.close()


async def _remember(dsn: str, owner: int) -> None:
    tables = await asyncpg.connect(dsn)
    await tables.execute("insert into user_profile (owner_id) values ($1)", owner)
    await tables.execute(
        """
        insert into memories (owner_id, id, kind, status, content, confidence, priority, importance, pinned, valid_from,
          origin, user_confirmed, created_at, updated_at, tsv)
        values ($1, 1, 'fact', 'active', $2, 1, 1, 1, false, now(), 'user', true, now(), now(), '')
        """,
        owner,
        f"of {owner}",
    )
    await tables.close()


async def test_the_memory_stays_shut_where_row_level_security_does_not_bind(
    postgres: EmbeddedPostgres, dsn: str
) -> None:
    admin = await asyncpg.connect(postgres.dsn(SUPERUSER, "postgres"))
    try:
        await admin.execute("alter role chatmem_server bypassrls")
        with pytest.raises(StorageRefused, match="does not apply to the role chatmem_server"):
            await _opened(dsn)
    finally:
        await admin.execute("alter role chatmem_server nobypassrls")
        await admin.close()
    await _opened(dsn)


async def _opened(dsn: str) -> None:
    database: Database = await open_database(dsn, size=1)
    await database.close()
