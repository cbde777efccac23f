"""A memory moves to another user. Nothing is lost, and nothing refers to the former user."""

import json
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from tellonce import contract as c
from tellonce import reminders as r
from tellonce.client import MemoryClient
from tellonce.settings import ServerSettings
from tellonce_cli.user_move import join_users
from tellonce_server.app.access_tokens import create_token
from tellonce_server.core.scope import conversation
from tellonce_server.postgres import owners
from tellonce_server.services.export import Entry, entries
from tellonce_server.store import threads
from tellonce_server.store.database import as_login
from tests.memory_fixtures import Clock, Memory, forget
from tests.offline_worker import work_off

pytestmark = pytest.mark.anyio

FORMER, HEIR, GROUP = 4_242_424_242, 5_353_535_353, -200
"""Numbers that occur in no other value."""
PLAN = conversation(FORMER, "phone", "plan").chat_id
TABLES = """
    select c.relname::text from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'owner_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'"""
ALL_TABLES = "select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'"
KEYS = "select conname::text, condeferrable, condeferred from pg_constraint where contype = 'f' order by 1"
OTHER_ROWS = (
    """
    insert into model_calls (owner_id, chat_id, job_id, kind, model, tier, input_tokens, output_tokens, seconds, price_usd, ok,
      note, at) values ($1, $1, 1, 'exchange', 'm', 'claude', 1, 1, 1, 0.5, true, '', now())""",
    """
    insert into dropped_items values ($1, '2026-01-01', 'x', 1)""",
    """
    insert into model_call_months values ($1, '2026-01-01', 'exchange', 'm', 'claude', 1, 1, 1, 1, 1, 0.25)""",
)

DIES = """
    create function dies() returns trigger language plpgsql
      as 'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';
    create trigger dies before update on model_calls for each row execute function dies()"""
"""Ends the connection that changes the table's rows, as if its process were killed."""


@pytest.fixture
def settings(dsn: str, tmp_path: Path) -> ServerSettings:
    return ServerSettings.model_validate(
        {
            "database_url": dsn,
            "data_dir": tmp_path,
            "user_ids": (FORMER, HEIR),
            "personal_groups": (GROUP,),
            "timezone": "Asia/Singapore",
            "embeddings": "none",
        }
    )


async def live(memory: Memory, clock: Clock, user: int) -> None:
    """A sequence of actions that creates rows in every table: threads of all kinds, a conversation, a group, learning,
    an edit, a reminder, an erasure, and a preview that is not confirmed."""
    async with memory.client(user) as client, memory.agent() as agent:
        for number in range(24):
            await _exchange(client, clock, f"My dog number {number} is called Rex{number}. " * 8, f"r{number}")
        for place in (
            {"message_thread_id": 7},
            {"reply_to_message_id": "r1-user"},
            {"conversation_id": "plan", "channel": "phone"},
            {"chat_id": GROUP},
        ):
            for number in range(6):
                await _exchange(
                    client, clock, f"I live in Porto since year {number}.", f"{len(place)}{number}", **place
                )
        told = await client.remember(c.RememberArgs(content="I live in Rome"))
        assert told.memory is not None
        await client.remember(c.RememberArgs(content="I live in Oslo", replaces=(told.memory.id,)))
        edited = await client.remember(c.RememberArgs(content="I play the cello", scope="chat"))
        assert edited.memory is not None
        change = c.UpdateMemoryArgs(memory_id=edited.memory.id, action="edit", content="I play the viola")
        await client.update_memory(change)
        await client.set_reminder(r.SetReminderArgs(content="Call Ann", at=clock() + timedelta(days=9)))
        await work_off(agent)
        await _exchange(client, clock, "My dog number 3 is called Max.", "r3")
        await work_off(agent)
        await client.get_context(c.GetContextArgs(query="Where do I live?"))
        for topic in ("Rex5", "Rex6"):
            preview = await client.forget(c.ForgetArgs(topic=topic))
            if topic == "Rex5":
                await client.forget(c.ForgetArgs(topic=topic, confirm=preview.confirm))
        await client.get_context(c.GetContextArgs(query="Where do I live?"))
        await _exchange(client, clock, "Not read yet.", "last")


async def _exchange(client: MemoryClient, clock: Clock, said: str, name: str, **place: object) -> None:
    clock.forward(minutes=1)
    for role, text in (("user", said), ("assistant", "Noted.")):
        values = {"role": role, "content": text, "message_id": f"{name}-{role}", "sent_at": clock(), **place}
        await client.record_message(c.RecordMessageArgs.model_validate(values))


async def test_everything_of_a_user_moves_and_nothing_names_the_former_number(
    memory: Memory, clock: Clock, dsn: str
) -> None:
    await live(memory, clock, FORMER)
    async with as_login(dsn) as login:
        await create_token(login, "laptop", FORMER, ("assistant",), clock())
    database = (await memory.storage.services()).deps.database
    wrote = [entry async for entry in entries(database, FORMER)]
    async with memory.tables() as connection:
        for statement in OTHER_ROWS:
            await connection.execute(statement, FORMER)
        # The tables are read from the catalog, so that a table of a later release is found, too.
        await connection.execute("create table later (owner_id bigint not null, chat_id bigint not null, said text)")
        await connection.execute("insert into later values ($1, $2, 'x')", FORMER, PLAN)
        keys, before = await connection.fetch(KEYS), await counts(connection, FORMER)
        assert {name for name, count in before.items() if not count} == set()
        await owners.move(connection, FORMER, HEIR)
        assert await connection.fetch(KEYS) == keys
        assert await counts(connection, HEIR) == {**before, "forget_previews": 0}
        assert await naming(connection, FORMER) == await naming(connection, PLAN) == []
        await connection.execute("drop table later")
    read = [entry async for entry in entries(database, HEIR)]
    assert plain(read, HEIR) == plain(wrote, FORMER)
    assert await threads.gaps(database, HEIR) == []
    async with memory.client(HEIR) as client, memory.agent() as agent:
        assert await work_off(agent)
        context = await client.get_context(c.GetContextArgs(query="Where do I live?"))
        assert "Oslo" in (context.context or "")
        found = await client.search_memory(c.SearchMemoryArgs(query="Porto since year 5", where="all"))
        assert conversation(HEIR, "phone", "plan").chat_id in {hit.chat_id for hit in found.results}
        assert [x.memory.content[:8] for x in (await client.list_reminders(r.ListRemindersArgs())).reminders] == [
            "Call Ann"
        ]
        # Some words were forgotten before the move. The client now sends the message with these words again.
        await _exchange(client, clock, "My dog number 5 is called Rex5. " * 8, "r5")
        assert (await client.forget(c.ForgetArgs(literal="Rex5"))).matches == ()


async def test_a_move_that_fails_changes_nothing(memory: Memory, clock: Clock) -> None:
    async with memory.client(FORMER) as client:
        await _exchange(client, clock, "I live in Porto.", "one")
    async with memory.tables() as connection:
        before = await counts(connection, FORMER), await connection.fetch(KEYS)
        await connection.execute("alter table messages add check (owner_id <> 5353535353) not valid")
        with pytest.raises(asyncpg.CheckViolationError):
            await owners.move(connection, FORMER, HEIR)
        assert (await counts(connection, FORMER), await connection.fetch(KEYS)) == before


async def test_a_joined_memory_is_summarized_again_and_knows_what_was_forgotten_or_nothing_has_changed(
    memory: Memory, clock: Clock, settings: ServerSettings, dsn: str
) -> None:
    two = {"role": "user", "content": "My boat is red. Its harbor is Piran.", "message_id": "boat"}
    await live(memory, clock, FORMER)
    async with memory.client(FORMER) as client:
        await client.record_message(c.RecordMessageArgs.model_validate(two))
        await forget(client, topic="Piran")
    async with memory.client(HEIR) as client:
        await _exchange(client, clock, "I keep bees.", "bees")
    async with memory.tables() as connection:
        before = [await counts(connection, owner) for owner in (FORMER, HEIR)]
        await connection.execute(DIES)
        await connection.execute(OTHER_ROWS[0], FORMER)
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await join_users(settings, dsn, FORMER, HEIR)
        assert [await counts(connection, owner) for owner in (FORMER, HEIR)] == [
            {**before[0], "model_calls": before[0]["model_calls"] + 1},
            before[1],
        ]
        await connection.execute("drop trigger dies on model_calls")
        await join_users(settings, dsn, FORMER, HEIR)
        after = await counts(connection, HEIR)
        assert set((await counts(connection, FORMER)).values()) == {0}
        for name in ("messages", "memories"):
            assert after[name] == before[0][name] + before[1][name], name
    async with memory.client(HEIR) as client, memory.agent() as agent:
        assert (await client.record_message(c.RecordMessageArgs.model_validate(two))).outcome == "duplicate"
        await work_off(agent)
        assert (await client.summarize_chat(c.SummarizeChatArgs())).periods
    async with memory.tables() as connection:
        assert (await counts(connection, HEIR))["conversation_summaries"] >= before[0]["conversation_summaries"]
        assert await connection.fetchval("select count(*) from messages where content like '%Piran%'") == 0


async def counts(connection: "asyncpg.Connection[asyncpg.Record]", owner: int) -> dict[str, int]:
    names = [row[0] for row in await connection.fetch(TABLES)]
    return {
        name: await connection.fetchval(f"select count(*) from {name} where owner_id = $1", owner) for name in names
    }


async def naming(connection: "asyncpg.Connection[asyncpg.Record]", number: int) -> list[str]:
    """The rows of all tables with this number in any column. The sections of receipts do not count, because texts that
    were shown to models do not change."""
    found: list[str] = []
    for row in await connection.fetch(ALL_TABLES):
        rows = await connection.fetch(
            f"select x from (select to_jsonb(t) - 'sections' as x from {row[0]} t) y where x::text like $1",
            f"%{number}%",
        )
        found += [f"{row[0]}: {line[0][:300]}" for line in rows]
    return found


def plain(found: list[Entry], owner: int) -> list[str]:
    """The entries without the numbers of the user and the conversation."""
    numbers = {owner: "user", conversation(owner, "phone", "plan").chat_id: "plan"}
    lines = [json.dumps(entry, sort_keys=True) for entry in found]
    for number, name in numbers.items():
        lines = [line.replace(str(number), name) for line in lines]
    return sorted(lines)
