"""The database itself separates owners. The tests run statements that do not restrict their rows to the owner. They
check which rows the server's roles see."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg
import pytest

from tellonce.client import MemoryClient
from tellonce.contract import GetContextArgs, RecordMessageArgs, RememberArgs
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_server.store import memories
from tellonce_server.store.database import SERVER_ROLE, WORKER_ROLE, open_database
from tellonce_sql import migrations, query
from tests.memory_fixtures import USER, Memory, session

pytestmark = pytest.mark.anyio

Rows = asyncpg.Record
OTHER = 43
GROUP = -100
OWNERS = (USER, OTHER, GROUP)
FILLED = {
    *("chats", "messages", "message_fts", "thread_state", "memories", "user_profile", "chat_context_queue"),
    *("context_receipts",),
}
"""Tables in which each of the three owners has rows in this test."""

TENANT = (
    "select c.relname::text as name, c.relrowsecurity as guarded from pg_class c "
    "where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace "
    "and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'owner_id') order by 1"
)
POLICIES = "select tablename::text, policyname::text, roles::text[], qual from pg_policies where schemaname = 'public' order by 1, 2"
SEARCHES = (
    "messages_with('tortois'::tsquery)",
    "memories_with('tortois'::tsquery)",
    "summaries_with('tortois'::tsquery)",
)


@pytest.fixture
async def lived(memory: Memory) -> Memory:
    """Three owners with rows in most tables."""
    async with memory.relay() as relay:
        for chat in OWNERS:
            await live(relay, chat)
    return memory


async def live(relay: MemoryClient, chat: int) -> None:
    text = f"I keep a tortoise, Canary{abs(chat)}"
    await relay.record_message(RecordMessageArgs(role="user", content=text, chat_id=chat, message_id="1"))
    answer = RecordMessageArgs(role="assistant", content="A fine one.", chat_id=chat, message_id="2", exchange_of="1")
    await relay.record_message(answer)
    await relay.remember(RememberArgs(content=text, chat_id=chat))
    await relay.get_context(GetContextArgs(chat_id=chat, query="tortoise"))


@asynccontextmanager
async def in_role(memory: Memory, role: str) -> AsyncGenerator["asyncpg.Connection[Rows]"]:
    """A connection for raw SQL in one of the server's roles. It has no owner."""
    assert memory.settings.database_url is not None
    dsn = memory.settings.database_url.get_secret_value()
    async with session(dsn, server_settings={"role": role}) as connection:
        yield connection


@pytest.fixture
async def server(lived: Memory) -> AsyncIterator["asyncpg.Connection[Rows]"]:
    async with in_role(lived, SERVER_ROLE) as connection:
        yield connection


@pytest.fixture
async def worker(lived: Memory) -> AsyncIterator["asyncpg.Connection[Rows]"]:
    async with in_role(lived, WORKER_ROLE) as connection:
        yield connection


async def act_for(connection: "asyncpg.Connection[Rows]", owner: int) -> None:
    await connection.fetchval("select set_config('chatmem.owner', $1, false)", str(owner))


async def tenant(connection: "asyncpg.Connection[Rows]") -> list[str]:
    return [row["name"] for row in await connection.fetch(TENANT)]


@pytest.mark.parametrize("role", [SERVER_ROLE, WORKER_ROLE])
async def test_the_servers_roles_own_nothing_and_are_above_nothing(lived: Memory, role: str) -> None:
    async with in_role(lived, role) as connection:
        assert await connection.fetchval("select current_user") == role
        powers = await connection.fetchrow(
            "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin "
            "from pg_roles where rolname = current_user"
        )
        assert powers is not None
        assert not any(powers.values())
        assert await connection.fetchval("select count(*) from pg_class where relowner = current_user::regrole") == 0
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("alter table messages disable row level security")


@pytest.mark.parametrize(
    "wanted",
    [
        "insert into access_tokens (token_hash, name, scopes, created_at) values ('x', 'mine', '{relay}', now())",
        "update access_tokens set revoked_at = null",
        "update access_tokens set scopes = '{relay}'",
        "delete from access_tokens",
        "select key from server_keys",
        "insert into server_keys (name, key, created_at) values ('mine', 'x', now())",
        "update server_keys set key = 'x'",
    ],
)
async def test_the_servers_role_lets_nobody_in_and_reads_no_key(
    server: "asyncpg.Connection[Rows]", worker: "asyncpg.Connection[Rows]", wanted: str
) -> None:
    for role in (server, worker):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await role.execute(wanted)
    assert await server.fetchval("select count(name) from access_tokens where revoked_at is null") == 3


async def test_the_running_server_works_in_its_role(lived: Memory) -> None:
    database = (await lived.storage.services()).deps.database
    async with database.transaction() as t:
        assert await t._connection.fetchval("select current_user") == SERVER_ROLE


async def test_every_tenant_table_is_guarded_by_the_same_policy(server: "asyncpg.Connection[Rows]") -> None:
    tables = await server.fetch(TENANT)
    assert len(tables) >= 15
    assert [row["name"] for row in tables if not row["guarded"]] == []
    policies = await server.fetch(POLICIES)
    own = {row["tablename"]: row["qual"] for row in policies if row["policyname"] == "own"}
    assert set(own) == {row["name"] for row in tables}
    assert len(set(own.values())) == 1
    assert all(row["roles"] == [SERVER_ROLE] for row in policies if row["policyname"] == "own")


async def test_without_an_owner_the_servers_role_sees_no_row(server: "asyncpg.Connection[Rows]") -> None:
    for table in await tenant(server):
        assert await server.fetchval(f"select count(*) from {table}") == 0, table
    for search in SEARCHES:
        assert await server.fetchval(f"select count(*) from {search}") == 0, search


@pytest.mark.parametrize("owner", OWNERS)
async def test_with_an_owner_it_sees_that_owners_rows_alone(server: "asyncpg.Connection[Rows]", owner: int) -> None:
    await act_for(server, owner)
    seen: set[str] = set()
    for table in await tenant(server):
        owners = {row["owner_id"] for row in await server.fetch(f"select distinct owner_id from {table}")}
        assert owners <= {owner}, table
        seen |= {table} if owners else set()
    assert seen >= FILLED
    for search in SEARCHES[:2]:
        assert await server.fetchval(f"select count(*) from {search}") == 1, search


@pytest.mark.parametrize(
    "name", ["messages.page", "messages.by_ext_id", "memories.all_of_owner", "receipts.of_message"]
)
async def test_a_statement_that_forgot_the_owner_still_reads_only_the_owners(
    server: "asyncpg.Connection[Rows]", name: str
) -> None:
    await act_for(server, USER)
    loose = query(name).replace("owner_id = $1", "$1::bigint is not null")
    assert loose != query(name)
    statement = await server.prepare(loose)
    known = {"messages.page": (USER, OTHER, 100, 10), "messages.by_ext_id": (USER, OTHER, "1", "telegram")}
    others = known.get(name, (USER, OTHER, 1) if name == "receipts.of_message" else (USER,))
    rows = await statement.fetch(*others)
    assert "Canary43" not in str(rows)
    assert "Canary100" not in str(rows)
    async with server.transaction():
        await act_for(server, OTHER)
        assert "Canary43" in str(await statement.fetch(*others)) or name == "receipts.of_message"


async def test_rows_of_another_owner_can_be_neither_made_nor_changed(server: "asyncpg.Connection[Rows]") -> None:
    await act_for(server, USER)
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await server.execute("insert into chats (owner_id, chat_id, created_at) values ($1, 7, now())", OTHER)
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await server.execute("update memories set owner_id = $1", OTHER)
    assert await server.execute("update messages set content = '' where owner_id = $1", OTHER) == "UPDATE 0"
    assert await server.execute("delete from memories where owner_id = $1", OTHER) == "DELETE 0"


async def test_the_worker_reads_only_what_its_work_needs(worker: "asyncpg.Connection[Rows]") -> None:
    readable = await worker.fetch(
        "select table_name::text as name, "
        "array_agg(column_name::text order by column_name) as columns, "
        "array_agg(column_name::text order by column_name) "
        "  filter (where has_column_privilege(table_name::text, column_name::text, 'update')) as writable "
        "from information_schema.columns where table_schema = 'public' and table_name = any($1::text[]) "
        "and has_column_privilege(table_name::text, column_name::text, 'select') group by 1",
        await tenant(worker),
    )
    found = {row["name"]: row for row in readable}
    assert set(found) == {
        "chat_context_queue",
        "chats",
        "conversation_summaries",
        "dropped_items",
        "memories",
        "messages",
        "model_calls",
        "reminders",
        "thread_state",
    }
    assert found["thread_state"]["columns"] == ["chat_id", "last_no", "owner_id", "queued_to", "thread_key"]
    assert found["messages"]["columns"] == sorted(
        "owner_id chat_id id thread_key thread_no sent_at speaker role content version embedding ebits".split()
    )
    assert found["messages"]["writable"] == ["ebits", "embedding"]
    assert found["memories"]["writable"] == ["categories", "embedding", "tsv", "words_key"]
    assert found["conversation_summaries"]["writable"] == ["embedding"]
    assert found["chats"]["writable"] is found["thread_state"]["writable"] is None
    for refused in ("update messages set content = ''", "select narrative from user_profile", "delete from memories"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await worker.execute(refused)


class Undone(Exception):
    """Raised to roll back a transaction."""


async def test_a_connection_changes_owners_and_comes_out_of_a_rollback_right(lived: Memory) -> None:
    assert lived.settings.database_url is not None
    database = await open_database(lived.settings.database_url.get_secret_value(), size=1)
    try:
        for owner in (USER, OTHER, USER, GROUP):
            assert len(await memories.all_of_owner(database, owner)) == 1
        with suppress(Undone):
            async with database.transaction() as t:
                assert len(await memories.all_of_owner(t, OTHER)) == 1
                raise Undone
        assert len(await memories.all_of_owner(database, OTHER)) == 1
        async with database.transaction() as t:
            assert len(await memories.all_of_owner(t, USER)) == 1
            with suppress(Undone):
                async with t.savepoint():
                    assert len(await memories.all_of_owner(t, OTHER)) == 1
                    raise Undone
            assert len(await memories.all_of_owner(t, OTHER)) == 1
            assert len(await memories.all_of_owner(t, USER)) == 1
    finally:
        await database.close()


async def test_a_login_that_cannot_take_the_roles_gets_what_an_administrator_must_do(
    postgres: EmbeddedPostgres,
) -> None:
    admin = await asyncpg.connect(postgres.dsn(SUPERUSER, "postgres"))
    await admin.execute("create role plain login")
    await admin.execute("create database plain owner plain")
    async with session(postgres.dsn(SUPERUSER, "plain")) as vectors:
        await vectors.execute("create extension vector")
    try:
        async with session(postgres.dsn("plain", "plain")) as plain:
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="grant chatmem_server to plain"):
                await migrate(plain, migrations())
            await admin.execute("grant chatmem_server, chatmem_worker to plain")
            assert "0002_isolation.sql" in await migrate(plain, migrations())
    finally:
        await admin.execute("drop database plain with (force)")
        await admin.execute("drop role plain")
        await admin.close()
