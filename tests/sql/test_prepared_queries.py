"""PostgreSQL accepts every named query, and each is limited to its owner."""

import re
from pathlib import Path

import asyncpg
import pytest

import tellonce_sql
from tellonce_server.store.database import SERVER_ROLE, WORKER_ROLE
from tellonce_sql import queries, reach
from tests.memory_fixtures import rows, session
from tests.sql.owner_walk import loose, operators, relations

pytestmark = pytest.mark.anyio

NO_OWNER = {
    "access_tokens": "looked up by the hash of a credential, before any owner is known",
    "server_keys": "the server's own",
    "scrubs": "the server's own",
    "schema_migration": "the server's own",
    "workers": "a summarizer serves all owners",
    "embedding_models": "one row: the model of all stored vectors",
    "calendar": "one row: the time zone of all stored days",
}
KEYED_OTHERWISE = {
    "message_fts_pkey": "its key begins with the message: beside a b-tree on the owner the planner leaves the GIN index"
}
"""Keys of tenant tables in which the owner is not the first column."""

BY_THE_LOGIN = (
    *("tokens.add", "tokens.all", "tokens.revoke", "keys.obtain"),
    *(
        f"calendar.{name}"
        for name in ("zone", "fresh", "set_zone", "mark_days", "move_days", "move_repeated", "restamp", "narrated")
    ),
)
"""Queries that use the tables of tokens and keys, or the time zone of all owners. The server's roles may not run
them."""

MAINTENANCE = ("scrub.checkpoint", "scrub.switch_log", "scrub.cancel", "scrub.longest_wait", "scrub.wait_shortly")
"""Queries that the login runs. The login also runs the statements that rewrite tables."""

WITHOUT_OWNER = "select relname from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace and {}"
HAS_OWNER = "exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'owner_id')"
OF_OWNER = [name for name in queries() if reach(name) == "owner"]


async def tenant_tables(connection: "asyncpg.Connection[asyncpg.Record]") -> set[str]:
    return {row[0] for row in await connection.fetch(WITHOUT_OWNER.format(HAS_OWNER))}


async def test_postgresql_prepares_every_query(dsn: str) -> None:
    async with session(dsn) as connection:
        failures: dict[str, str] = {}
        for name, sql in queries().items():
            try:
                await connection.prepare(sql)
            except asyncpg.PostgresError as error:
                failures[name] = str(error)
    assert failures == {}


@pytest.mark.parametrize("role", [SERVER_ROLE, WORKER_ROLE])
async def test_every_query_may_run_in_the_role_it_runs_in(dsn: str, role: str) -> None:
    """Runs EXPLAIN on each statement. PostgreSQL checks rights when a statement starts, not when it is prepared."""
    async with session(dsn, server_settings={"role": role}) as connection:
        names = [name for name in queries() if (reach(name) == "all owners") == (role == WORKER_ROLE)]
        refused: dict[str, str] = {}
        for name in names:
            of_login = name in MAINTENANCE + BY_THE_LOGIN
            if not of_login and not name.startswith(("scrub.rewrite_statistics", "backup.", "owners.")):
                try:
                    await connection.execute(f"explain (generic_plan) {queries()[name]}")
                except asyncpg.InsufficientPrivilegeError as error:
                    refused[name] = str(error)
    assert refused == {}


async def test_only_these_tables_have_no_owner(dsn: str) -> None:
    ownerless = {row[0] for row in await rows(dsn, WITHOUT_OWNER.format(f"not {HAS_OWNER}"))}
    assert ownerless == set(NO_OWNER)


async def test_the_owner_leads_every_key_of_a_tenant_table(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    keys = await connection.fetch(
        """
        select i.indexrelid::regclass::text as name,
          (select array_agg(a.attname::text order by k.n)
           from unnest(i.indkey::int[]) with ordinality k (no, n)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.no
           where k.n <= i.indnkeyatts) as columns
        from pg_index i
        where i.indisunique and i.indrelid = any($1::text[]::regclass[])
        union all
        select k.conname, array(
          select a.attname::text from unnest(k.conkey) with ordinality c (no, n)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.no order by c.n)
        from pg_constraint k
        where k.contype = 'f' and k.conrelid = any($1::text[]::regclass[])
        """,
        sorted(await tenant_tables(connection)),
    )
    await connection.close()
    assert len(keys) > 30
    otherwise = {key["name"] for key in keys if key["columns"][0] != "owner_id"}
    assert otherwise == set(KEYED_OTHERWISE)
    assert all("owner_id" in key["columns"] for key in keys)


async def test_every_relation_of_every_statement_is_bound_to_the_owner(dsn: str) -> None:
    async with session(dsn) as connection:
        tenant = await tenant_tables(connection)
    unbound = {name: found for name in OF_OWNER if (found := loose(queries()[name], tenant))}
    assert unbound == {}
    touched = {name for name, sql in queries().items() if not name.startswith("scrub.") and relations(sql) & tenant}
    assert {name for name in touched if reach(name) == "no owner"} == set()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 1 from messages where owner_id = $1", []),
        ("select 1 from messages where owner_id = $2", ["messages"]),
        ("select 1 from messages where owner_id = $1 or true", ["messages"]),
        ("select 1 from messages m join chats c on c.owner_id = m.owner_id where m.owner_id = $1", ["chats"]),
        ("select 1 from messages m join chats c on c.owner_id = $1 where m.owner_id = $1", []),
        ("select 1 from messages, chats where owner_id = $1", ["messages", "chats"]),
        ("with c as (select 1 from chats) select 1 from messages where owner_id = $1", ["chats"]),
        ("select (select 1 from chats limit 1) from messages where owner_id = $1", ["chats"]),
        ("update messages set role = '' where id = $1", ["messages"]),
        ("delete from chats c using messages m where c.owner_id = $1", ["messages"]),
        ("insert into chats (owner_id, chat_id) values ($1, $2)", []),
        ("insert into chats (owner_id, chat_id) values ($2, $1)", ["chats"]),
        ("insert into chats (owner_id, chat_id) select $2, 1", ["chats"]),
    ],
)
def test_the_walk_sees_a_relation_that_is_not_bound(sql: str, expected: list[str]) -> None:
    assert loose(sql, {"messages", "chats"}) == expected


def test_a_statement_across_owners_says_why() -> None:
    folder = Path(tellonce_sql.__file__).parent / "queries"
    reasons = re.findall(
        r"^-- across owners: (.*)$", "\n".join(file.read_text() for file in folder.glob("*.sql")), re.MULTILINE
    )
    assert len(reasons) == sum(reach(name) == "all owners" for name in queries())
    assert all(len(reason) > 10 for reason in reasons)


def test_full_text_conditions_stand_in_the_functions_that_keep_their_index() -> None:
    """Outside these functions, row-level security makes a full-text search (`@@`) slow. Such a search reads every row
    of the owner."""
    assert [name for name, sql in queries().items() if "@@" in operators(sql)] == []
