"""Message ids belong to a channel: the same id from two channels means two messages."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce.connect import PROTOCOL, connect_http
from tellonce_server.api.assistant import AssistantTools
from tellonce_server.api.spec import specs_of
from tellonce_server.core.scope import ChatScope, channel_of
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_server.services.import_messages import Importer, ImportMessage
from tellonce_sql import migrations
from tests.memory_fixtures import USER, Clock, Memory, session
from tests.server.processes import HttpServer, http_server

pytestmark = pytest.mark.anyio

BLOOD = "My blood type is B negative"
FILES = "Show me the files of this project"


@asynccontextmanager
async def named(server: HttpServer, name: str) -> AsyncGenerator[MemoryClient]:
    """A client that sends a name but no channel. The name is, for example, the name of another assistant."""
    info = Implementation(name=name, version="1")
    async with (
        httpx2.AsyncClient(headers=server.headers()) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=PROTOCOL, client_info=info) as client,
    ):
        yield MemoryClient(client)


def said(text: str, **more: object) -> c.RecordMessageArgs:
    return c.RecordMessageArgs.model_validate({"role": "user", "content": text, "message_id": "57", **more})


async def test_message_57_of_telegram_and_of_another_client_stand_side_by_side(tmp_path: Path, dsn: str) -> None:
    async with (
        http_server(tmp_path / "data", dsn) as server,
        connect_http(server.url, server.token("relay")) as telegram,
        named(server, "Claude Code") as other,
    ):
        first = await telegram.record_message(said(BLOOD, chat_id=USER))
        second = await other.record_message(said(FILES, chat_id=USER))
        again = await other.record_message(said(FILES, chat_id=USER))
        edited = await other.record_message(said("List the files", chat_id=USER))
        told = await telegram.explain(c.ExplainArgs(message_id="57", chat_id=USER))
        heard = await other.explain(c.ExplainArgs(message_id="57", chat_id=USER))
    assert (first.outcome, second.outcome, again.outcome, edited.outcome) == (
        "created",
        "created",
        "duplicate",
        "edited",
    )
    assert (first.session_id, second.session_id) == ("telegram:chat:42", "claude-code:chat:42")
    assert (told.text, told.versions) == (BLOOD, ())
    assert heard.text == "List the files"


async def test_what_a_call_names_is_its_own_channels_message_or_the_only_one(memory: Memory) -> None:
    async with memory.client() as client, memory.relay() as relay:
        await relay.record_message(said(BLOOD, chat_id=USER))
        only = await client.record_message(said("B negative", message_id="58", role="assistant", exchange_of="57"))
        await client.record_message(said(FILES))
        context = await client.get_context(c.GetContextArgs(exclude_message_id="57"))
        quoted = await relay.get_context(c.GetContextArgs(reply_to_message_id="57", chat_id=USER))
        kept = await client.remember(c.RememberArgs(content="Ann lists files", source_message_id="57"))
        why = await client.explain(c.ExplainArgs(memory_id=kept.memory.id))
    assert only.outcome == "created"
    assert BLOOD in (context.context or "")
    assert FILES not in (context.context or "")
    assert quoted.focus is not None
    assert quoted.focus.text == BLOOD
    assert [source.text for source in why.sources] == [FILES]


async def test_without_an_id_a_message_is_stored_as_often_as_it_is_recorded(memory: Memory) -> None:
    async with memory.client() as client:
        first = await client.record_message(said(FILES, message_id=None))
        second = await client.record_message(said(FILES, message_id=None))
    assert (first.outcome, second.outcome) == ("created", "created")
    tool = next(spec for spec in specs_of(AssistantTools(memory.storage.services)) if spec.name == "record_message")
    assert tool.annotations.idempotent_hint is False


async def test_an_import_knows_a_message_by_its_channel_too(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await client.record_message(said(FILES))
    importer = Importer((await memory.storage.services()).deps, ChatScope(USER, USER))
    old = ImportMessage("user", BLOOD, "57", datetime(2025, 1, 1, tzinfo=UTC), "telegram")
    assert (await importer.add([old])).created == 1
    assert (await importer.add([old])).created == 0
    same = ImportMessage("user", FILES, "57", clock(), "telegram")
    assert (await importer.add([same])).created == 0


@pytest.mark.parametrize(
    ("client", "channel"),
    [
        ("Claude Code", "claude-code"),
        ("claude-ai", "claude-ai"),
        ("", "mcp"),
        (None, "mcp"),
        ("克", "mcp"),
        ("x" * 99, "x" * 32),
    ],
)
def test_a_client_that_names_no_channel_gets_its_own_name(client: str | None, channel: str) -> None:
    assert channel_of(client) == channel


async def test_an_upgrade_keeps_every_message_and_lets_channels_share_a_number(postgres: EmbeddedPostgres) -> None:
    admin = await asyncpg.connect(postgres.dsn(SUPERUSER, "postgres"))
    await admin.execute("create database upgrading owner chatmem_app")
    async with session(postgres.dsn(SUPERUSER, "upgrading")) as inside:
        await inside.execute("create extension vector")
    db = await asyncpg.connect(postgres.dsn(database="upgrading"))
    try:
        await migrate(db, [step for step in migrations() if step.version < 29])
        await db.execute("insert into user_profile (owner_id) values (1)")
        await db.execute(
            "insert into chats (owner_id, chat_id, channel, last_id, created_at) values (1, 1, 'telegram', 1, now())"
        )
        insert = (
            "insert into messages (owner_id, chat_id, id, thread_key, lane_no, epoch, role, content, channel, ext_id,"
            " importance, tokens, sent_at, utc_offset, recorded_at)"
            " values (1, 1, $1, 'root:1', $1, 0, 'user', $2, $3, '57', 0.5, 1, now(), 0, now())"
        )
        await db.execute(insert, 1, BLOOD, "telegram")
        with pytest.raises(asyncpg.UniqueViolationError):
            await db.execute(insert, 2, FILES, "claude-code")
        await migrate(db, migrations())
        insert = insert.replace("lane_no", "thread_no")
        await db.execute(insert, 2, FILES, "claude-code")
        with pytest.raises(asyncpg.UniqueViolationError):
            await db.execute(insert, 3, FILES, "claude-code")
        assert await db.fetchval("select string_agg(content, '|' order by id) from messages") == f"{BLOOD}|{FILES}"
    finally:
        await db.close()
        await admin.execute("drop database upgrading with (force)")
        await admin.close()
