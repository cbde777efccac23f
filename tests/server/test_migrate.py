"""Each migration runs once, even if several processes start. A database whose migrations differ from the files is
refused."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import suppress

import anyio
import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import MigrationError, migrate, missing, statements
from tellonce_sql import Migration, migrations
from tests.memory_fixtures import Clock, forget, opened, session
from tests.patience import HANGS, until

pytestmark = pytest.mark.anyio


def steps(*texts: str) -> list[Migration]:
    return [
        Migration(number, f"step_{number}", text, hashlib.sha256(text.encode()).hexdigest())
        for number, text in enumerate(texts, 1)
    ]


TABLE = "create table thing (id int primary key, name text);"
ROWS = "insert into thing select n, 'thing ' || n from generate_series(1, 100) n;"
CONCURRENT = """-- no-transaction
-- the index may be half made by an earlier try
drop index concurrently if exists thing_name;
-- statement
create index concurrently if not exists thing_name on thing (name);
-- statement
-- nothing here
"""


@pytest.fixture
async def empty(postgres: EmbeddedPostgres) -> AsyncGenerator[str]:
    """The DSN of a database without any table."""
    async with session(postgres.dsn(SUPERUSER, "postgres")) as admin:
        await admin.execute("create database migrating owner chatmem_app")
        yield postgres.dsn(database="migrating")
        await admin.execute("drop database migrating with (force)")


async def test_former_texts_kept_whole_by_an_older_version_read_the_same_from_lines_kept_once(
    empty: str, postgres: EmbeddedPostgres
) -> None:
    said = ["Likes tea.\nLives in Porto.", "Likes tea.\n\nLives in Bern.", ""]
    async with session(postgres.dsn(SUPERUSER, "migrating")) as admin:
        await admin.execute("create extension vector")
    async with session(empty) as db:
        await migrate(db, [step for step in migrations() if step.version < 16])
        for version, text in enumerate(said):
            await db.execute(
                "insert into text_versions (owner_id, chat_id, subject, version, value, replaced_at)"
                " values (1, 1, 'chunk:1', $1, jsonb_build_object('text', $2::text, 'body', '{}'::jsonb), now())",
                *(version, text),
            )
        await migrate(db, migrations())
        rows = await db.fetch("select former_text(1, value -> 'text') as text from text_versions order by version")
        lines = await db.fetch("select line from former_lines")
    assert [row["text"] or "" for row in rows] == said
    assert sorted(row["line"] for row in lines) == ["", "Likes tea.", "Lives in Bern.", "Lives in Porto."]


async def test_an_older_memory_keeps_its_tokens_jobs_and_calls_and_loses_rights_and_old_receipts_alone(
    empty: str, postgres: EmbeddedPostgres
) -> None:
    async with session(postgres.dsn(SUPERUSER, "migrating")) as admin:
        await admin.execute("create extension vector")
    async with session(empty) as db:
        await migrate(db, [step for step in migrations() if step.version < 24])
        await db.execute(OLDER_MEMORY)
        await migrate(db, migrations())
        assert (
            await db.fetchval("select name from access_tokens where token_hash = 'x' and revoked_at is null") == "phone"
        )
        assert await db.fetchval("select key from server_keys where name = 'memory'") == b"k"
        async with db.transaction():
            await db.execute("set local role chatmem_worker")
            gone = [await db.fetchval(f"select {call}") for call in PRUNED]
        left = await db.fetch("select id from chat_context_queue order by id")
        month = await db.fetchrow("select month::text, calls, price_usd::float8 from model_call_months")
        assert month is not None
        assert tuple(month) == ("2026-01-01", 2, 0.75)
        assert await db.fetchval("select has_table_privilege('chatmem_server', 'access_tokens', 'insert')") is False
    assert gone == [1, 0, 1, 2]
    # Job 2 is kept, because it is provisional and can be redone. Job 3 is kept, because it is the last exchange of the
    # chat.
    assert [row["id"] for row in left] == [2, 3]


OLDER_MEMORY = """
insert into access_tokens (token_hash, name, scopes, created_at) values ('x', 'phone', '{assistant}', '2026-01-01');
insert into server_keys (name, key, created_at) values ('memory', 'k', '2026-01-01');
insert into chats (owner_id, chat_id, created_at) values (1, 1, '2026-01-01');
insert into chat_context_queue (owner_id, chat_id, id, kind, state, thread_key, dedup_key, from_id, to_id, not_before,
  created_at, done_at, provisional, model, rung)
select 1, 1, n, 'exchange', 'complete', 't', n::text, n, n, '2026-01-01', '2026-01-01', '2026-01-02', n = 2, 'm',
  case n when 2 then 'offline' else 'claude' end
from generate_series(1, 3) n;
insert into context_receipts (owner_id, chat_id, id, thread_key, token_budget, tokens, truncated, sections, included,
  left_out, created_at)
values (1, 1, 'r', 't', 1, 1, false, '[]', '{}', '[]', '2026-01-01');
insert into model_calls (owner_id, chat_id, job_id, kind, model, rung, input_tokens, output_tokens, seconds, price_usd, ok,
  note, at)
values (1, 1, 1, 'exchange', 'm', 'claude', 1, 1, 1, 0.5, true, '', '2026-01-05'),
  (1, 1, 2, 'exchange', 'm', 'claude', 1, 1, 1, 0.25, false, '', '2026-01-31 23:00Z');
"""
PRUNED = (
    "drop_old_receipts('2026-02-01', 10)",
    "drop_surplus_receipts(1, 10)",
    "drop_finished_jobs('2026-02-01', 10)",
    "fold_model_calls('2026-04-01', 10)",
)


OLD_MESSAGE = """
    insert into user_profile (owner_id) values (42);
    insert into chats (owner_id, chat_id, last_id, created_at) values (42, 42, 1, now());
    insert into messages (owner_id, chat_id, id, thread_key, lane_no, epoch, role, content, channel, speaker, importance, tokens,
      sent_at, utc_offset, recorded_at)
      values (42, 42, 1, 'root:42', 1, 0, 'user', 'My dog is called Rex.', 'telegram', 'Dr. Vuxley', 0.5, 5, now(), 0, now());
    insert into message_fts (owner_id, chat_id, id, tsv) values (42, 42, 1, to_tsvector('chatmem', 'Vuxley'));
    insert into thread_state (owner_id, chat_id, thread_key, last_no) values (42, 42, 'root:42', 1);
    insert into memories (owner_id, id, kind, status, content, quote, confidence, priority, importance, pinned, valid_from, origin,
      user_confirmed, created_at, updated_at, tsv)
      values (42, 1, 'fact', 'active', 'Has a dog', 'Vuxley has a dog', 1, 1, 1, false, now(), 'user', true, now(), now(), '')"""


async def test_what_an_older_version_stored_is_found_and_forgotten(
    empty: str, postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    async with session(postgres.dsn(SUPERUSER, "migrating")) as admin:
        await admin.execute("create extension vector")
    async with session(empty) as db:
        await migrate(db, [step for step in migrations() if step.version <= 18])
        await db.execute(OLD_MESSAGE)
    moved = settings.model_copy(update={"database_url": SecretStr(empty)})
    async with opened(Storage(moved, clock)) as memory, memory.client() as client:
        done = await forget(client, topic="Vuxley")
    async with session(empty) as db:
        left = await db.fetchrow("select content, speaker, (select quotes from memories) as quotes from messages")
    assert (done.erased["messages"], done.erased["memory_quotes"], done.traces_left) == (1, 1, 0)
    assert tuple(left) == ("My dog is called Rex.", None, "[]")


async def test_each_migration_runs_once(empty: str) -> None:
    async with session(empty) as db:
        assert await migrate(db, steps(TABLE, ROWS)) == ["0001_step_1.sql", "0002_step_2.sql"]
        assert await migrate(db, steps(TABLE, ROWS)) == []
        assert await migrate(db, steps(TABLE, ROWS, CONCURRENT)) == ["0003_step_3.sql"]
        assert await db.fetchval("select count(*) from thing") == 100
        recorded = await db.fetch("select version, name, seconds >= 0 as timed from schema_migration order by version")
    assert [tuple(row) for row in recorded] == [(1, "step_1", True), (2, "step_2", True), (3, "step_3", True)]


async def test_a_migration_that_fails_leaves_nothing_of_itself_and_no_lock(empty: str) -> None:
    async with session(empty) as db, session(empty) as other:
        with pytest.raises(asyncpg.UndefinedTableError):
            await migrate(db, steps(TABLE, "insert into thing values (1); insert into nowhere values (1);"))
        with anyio.fail_after(HANGS):
            assert await migrate(other, steps(TABLE, ROWS)) == ["0002_step_2.sql"]
        assert await other.fetchval("select count(*) from thing") == 100


async def test_four_starters_at_once_apply_everything_once_even_concurrent_indexes(empty: str) -> None:
    done: list[str] = []

    async def start() -> None:
        async with session(empty) as db:
            done.extend(await migrate(db, steps(TABLE, ROWS, CONCURRENT)))

    with anyio.fail_after(HANGS):
        async with anyio.create_task_group() as starters:
            for _ in range(4):
                starters.start_soon(start)
    assert sorted(done) == ["0001_step_1.sql", "0002_step_2.sql", "0003_step_3.sql"]
    async with session(empty) as db:
        assert await db.fetchval("select indisvalid from pg_index where indexrelid = 'thing_name'::regclass")


async def test_a_starter_killed_in_the_middle_leaves_the_rest_to_the_next(empty: str) -> None:
    async with session(empty) as victim, session(empty) as next_one:
        pid = await victim.fetchval("select pg_backend_pid()")

        async def start() -> None:
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, ConnectionError):
                await migrate(victim, steps(TABLE, "select pg_sleep(60)"))

        with anyio.fail_after(HANGS):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(start)
                asleep = "select count(*) from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'"
                await until(lambda: next_one.fetchval(asleep, pid))
                await next_one.fetchval("select pg_terminate_backend($1)", pid)
            assert await migrate(next_one, steps(TABLE, ROWS)) == ["0002_step_2.sql"]


async def test_a_table_in_use_is_said_and_not_waited_for(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tellonce_server.postgres.migrations._LOCK_TIMEOUT", "set local lock_timeout = '100ms'")
    async with session(empty) as db, session(empty) as user:
        await migrate(db, steps(TABLE))
        async with user.transaction():
            await user.execute("lock table thing")
            with anyio.fail_after(HANGS), pytest.raises(MigrationError, match="stop the other tellonce processes"):
                await migrate(db, steps(TABLE, "alter table thing add column more int"))
        assert await migrate(db, steps(TABLE, "alter table thing add column more int")) == ["0002_step_2.sql"]


async def test_a_newer_database_is_refused_and_left_as_it_is(empty: str) -> None:
    async with session(empty) as db:
        await migrate(db, steps(TABLE, ROWS))
        with pytest.raises(MigrationError, match="at version 2, but this program knows versions up to 1"):
            await migrate(db, steps(TABLE))
        assert await db.fetchval("select max(version) from schema_migration") == 2


async def test_a_file_changed_after_it_was_applied_is_refused(empty: str) -> None:
    async with session(empty) as db:
        await migrate(db, steps(TABLE, ROWS))
        with pytest.raises(MigrationError, match=r"0001_step_1\.sql was changed"):
            await migrate(db, steps(TABLE + " ", ROWS, "select 1"))
        assert await db.fetchval("select max(version) from schema_migration") == 2


@pytest.mark.parametrize("numbers", [[1, 1], [2, 1], [1, 3, 2]])
def test_numbers_that_do_not_rise_are_refused(numbers: list[int]) -> None:
    with pytest.raises(MigrationError, match="do not rise"):
        missing([Migration(number, "x", "", "") for number in numbers], {})


def test_a_migration_that_arrives_after_one_with_a_higher_number_still_runs() -> None:
    files = [Migration(number, "x", "", "") for number in (1, 2, 4)]
    assert missing(files, {1: "", 4: ""}) == [files[1]]


@given(st.integers(0, 12), st.integers(0, 12))
def test_what_is_missing_is_exactly_what_was_not_applied(known: int, applied: int) -> None:
    files = steps(*(f"select {n}" for n in range(known)))
    ran = {m.version: m.sha256 for m in steps(*(f"select {n}" for n in range(applied)))}
    if applied > known:
        with pytest.raises(MigrationError):
            missing(files, ran)
    else:
        assert missing(files, ran) == files[applied:]


def test_parts_of_comments_alone_are_no_statements() -> None:
    assert [part.splitlines()[-1] for part in statements(CONCURRENT)] == [
        "drop index concurrently if exists thing_name;",
        "create index concurrently if not exists thing_name on thing (name);",
    ]
