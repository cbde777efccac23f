"""An upgrade from the last release with rows in every table. The constants below list all changes; everything else must
stay the same."""

import json
from typing import Any, Final

import asyncpg
import pytest

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.embedding.backlog import EmbeddingBacklog
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_sql import migrations
from tests.memory_fixtures import Clock, opened
from tests.server.older_release import last_release
from tests.server.test_vectors_of_models import local

pytestmark = pytest.mark.anyio

Row = dict[str, Any]

NEAR_INDEX: Final = """
create index messages_near_42 on messages using hnsw (embedding halfvec_cosine_ops) where owner_id = 42;
"""

STORED_VECTORS: Final = """
select (select count(embedding) + count(ebits) from messages) + (select count(embedding) from memories)
  + (select count(embedding) from conversation_summaries)
"""

RULE_MADE, CONFIRMED, SAID, REPLACED, REJECTED, REWORDED, BY_MODEL, TAGGED, UNCERTAIN, PINNED = range(1, 11)
"""Numbers of the memories below."""

DATA: Final = """
insert into user_profile (owner_id, narrative, raw_facts, version, model, provisional, built_at, exchanges_since, last_memory_id,
  erasures, queued_at)
values (42, 'They live in Bern.', '["Lives in Bern"]', 2, 'deterministic', true, '2026-02-01', 1, 10, 1, '2026-02-01');
insert into chats (owner_id, chat_id, epoch, last_id, last_summary_id, last_job_id, exchanges, model_calls, created_at)
values (42, 42, 1, 3, 2, 6, 1, 2, '2026-01-01');
insert into chat_metadata (owner_id, chat_id, epoch, user_confirmed, llm_inferred, general_summary, tokens, version, model,
  updated_at, archived_at)
values (42, 42, 0, 'Bern it was.', '', '', 3, 1, 'deterministic', '2026-01-01', '2026-01-02'),
  (42, 42, 1, 'Bern it is.', 'A dog, maybe.', 'They talked of Bern.', 9, 2, 'claude-haiku-4-5', '2026-02-01', null);
insert into messages (owner_id, chat_id, id, thread_key, lane_no, epoch, role, content, channel, speaker, ext_id, importance, tokens,
  sent_at, utc_offset, recorded_at, version, embedding)
values
  (42, 42, 1, 'root:42', 1, 1, 'user', 'I live in Bern, near my dog Max.', 'telegram', 'Ann', '7', 0.5, 9, '2026-01-03', 60,
    '2026-01-03', 2, array_fill(0.05, array[384])::real[]::halfvec(384)),
  (42, 42, 2, 'root:42', 2, 1, 'assistant', 'Nice.', 'telegram', null, '8', 0.5, 2, '2026-01-03', 60, '2026-01-03', 1, null),
  (42, 42, 3, 'root:42', 3, 1, 'user', 'Hello from the phone.', 'phone', null, '9', 0.5, 4, '2026-01-04', 60, '2026-01-04', 1, null);
insert into message_versions values (42, 42, 1, 1, 'I live in Basel.', '2026-01-03');
insert into message_fts select owner_id, chat_id, id, to_tsvector('chatmem', content) || array_to_tsvector(array['@o42', '@c42'])
from messages;
insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id, from_at, to_at,
  count, text, body, tokens, provisional, model, created_at, updated_at, tsv, folded_to)
values
  (42, 42, 1, 'chunk', 'root:42', 1, 1, 2, 1, 2, '2026-01-03', '2026-01-03', 2, 'They talked of Bern.', '{}', 5, true,
    'deterministic', '2026-01-03', '2026-01-03', to_tsvector('chatmem', 'Bern'), null),
  (42, 42, 2, 'thread', 'root:42', 1, null, null, 1, 2, '2026-01-03', '2026-01-03', 2, 'Bern, all along.', '{}', 5, false,
    'claude-haiku-4-5', '2026-01-03', '2026-01-03', to_tsvector('chatmem', 'Bern'), 1);
insert into former_lines (owner_id, line) values (42, 'Basel it was.');
insert into text_versions (owner_id, chat_id, subject, version, value, replaced_at, since)
values (42, 42, 'canonical:1', 1, '{"user_confirmed": [1]}', '2026-01-03', '2026-01-02');
insert into thread_state (owner_id, chat_id, thread_key, last_no, covered_to, queued_to, open_tokens, slot, slot_until)
values (42, 42, 'root:42', 3, 2, 2, 4, '{"slot": "budget", "type": "number"}', '2026-03-01');
insert into memories (owner_id, id, kind, status, content, quote, confidence, priority, importance, pinned, valid_from, valid_to,
  origin, user_confirmed, source_chat_id, source_ids, superseded_by, model, version, created_at, updated_at, embedding, tsv)
select 42, n, kind, status, content, quote, 0.9, 3, 0.5, n in (3, 10), '2026-01-03', ended, origin, confirmed,
  case when quote is not null then 42 end, case when quote is not null then '{1}'::bigint[] else '{}' end, successor, model, version,
  '2026-01-03', '2026-01-03', array_fill(0.05, array[384])::real[]::halfvec(384),
  to_tsvector('chatmem', content) || array_to_tsvector(array['@o42'])
from (values
  (1, 'fact', 'active', 'Name is Max', 'near my dog Max', null::timestamptz, 'extracted', false, null::bigint, 'deterministic', 1),
  (2, 'fact', 'active', 'Lives in Bern', 'I live in Bern', null, 'extracted', true, null, 'deterministic', 1),
  (3, 'preference', 'active', 'Prefers tea', null, null, 'user', true, null, null, 1),
  (4, 'preference', 'superseded', 'Prefers coffee', null, '2026-01-03', 'user', true, 3, null, 1),
  (5, 'fact', 'rejected', 'Has a boat', null, '2026-01-03', 'extracted', true, null, 'deterministic', 1),
  (6, 'goal', 'active', 'Wants to learn Basque', 'I live in Bern', null, 'extracted', true, null, 'deterministic', 2),
  (7, 'fact', 'active', 'Has a dog', 'my dog Max', null, 'extracted', false, null, 'claude-haiku-4-5', 1),
  (8, 'date', 'active', 'The exam is on May 3', null, null, 'tag', false, null, null, 1),
  (9, 'fact', 'uncertain', 'Is near Max', 'near my dog Max', null, 'extracted', false, null, 'deterministic', 1),
  (10, 'fact', 'active', 'Has a dog named Max', 'near my dog Max', null, 'extracted', false, null, 'deterministic', 1)
) as m (n, kind, status, content, quote, ended, origin, confirmed, successor, model, version);
insert into memory_versions values (42, 6, 1, 'Learns Basque', '2026-01-03');
insert into chat_context_queue (owner_id, chat_id, id, kind, state, thread_key, dedup_key, from_id, to_id, exchanges, not_before,
  result, model, rung, provisional, created_at, done_at)
values
  (42, 42, 1, 'exchange', 'complete', 'root:42', 'root:42', 1, 2, 1, '2026-01-03', null, 'claude-haiku-4-5', 'claude', false,
    '2026-01-03', '2026-01-03'),
  (42, 42, 2, 'exchange', 'complete', 'root:42', 'root:42', 1, 2, 1, '2026-01-03', null, 'deterministic', 'offline', false,
    '2026-01-03', '2026-01-03'),
  (42, 42, 3, 'profile', 'complete', '', 'profile', 1, 2, 0, '2026-01-03', null, 'llama', 'ollama', true, '2026-01-03', '2026-01-03'),
  (42, 42, 4, 'chunk_summary', 'dead', 'root:42', 'root:42', 1, 2, 0, '2026-01-03', null, null, null, false, '2026-01-03', null),
  (42, 42, 5, 'exchange', 'ready_to_write', 'root:42', 'root:42', 1, 2, 1, '2026-01-03',
    '{"kind": "exchange", "statements": [{"content": "Lives in Bern", "quote": "I live in Bern"}], "canonical": {}}',
    'deterministic', 'offline', false, '2026-01-03', null),
  (42, 42, 6, 'exchange', 'pending_summarization', 'root:42', 'redo:root:42', 1, 2, 1, '2026-01-03', null, null, null, false,
    '2026-01-03', null);
insert into context_receipts (owner_id, chat_id, id, thread_key, message_id, query, token_budget, tokens, truncated, sections,
  included, left_out, created_at)
values (42, 42, 'r', 'root:42', 1, 'Bern', 4300, 10, false, '[]', '{}', '[]', '2026-01-03');
insert into tombstones (owner_id, id, claim, words, created_at) values (42, 1, 'x', '{1}', '2026-01-03');
update scrubs set requested_at = '2026-01-03', done_at = '2026-01-04';
insert into server_keys (name, key, created_at) values ('kept', 'k', '2026-01-01');
insert into access_tokens (token_hash, name, user_id, scopes, created_at) values ('x', 'phone', 42, '{assistant}', '2026-01-01');
insert into model_calls (owner_id, chat_id, job_id, kind, model, rung, input_tokens, output_tokens, seconds, price_usd, ok, note, at)
values (42, 42, 1, 'exchange', 'claude-haiku-4-5', 'claude', 1, 1, 1, 0.01, true, '', '2026-01-03'),
  (42, 42, 3, 'profile', 'claude-haiku-4-5', 'claude', 1, 1, 1, 0.01, true, '', '2026-01-03'),
  (42, 42, 2, 'exchange', 'deterministic', 'offline', 0, 0, 0, 0, true, '', '2026-01-03');
update embedding_models set active = 'all-minilm-l6-v2-int8', changed_at = '2026-01-01';
insert into spare_vectors
select 42, 'another', 'memory', 0, n, 1, array_fill(0.05, array[384])::real[]::halfvec(384), repeat('1', 384)::bit(384)
from generate_series(1, 3) n;
"""

QUOTED: Final = {"quote": None}
"""`quote` is a removed column. Its text is now in `quotes`."""

NOTE: Final = QUOTED | {"content": "near my dog Max", "embedding": None, "tsv": ..., "updated_at": ...}
"""The changes to a statement. The former rules made this statement from a sentence. `...` stands for any other
value."""

CHANGES: Final[dict[str, dict[int, Row]]] = {
    "chats": {42: {"model_calls": None}},
    # The phone's message is now in the phone's own chat, so Telegram's thread ends before this message.
    "messages": {3: {}},
    "message_fts": {3: {}},
    "thread_state": {42: {"last_no": 2, "open_tokens": 0, "focus_id": 2}},
    "memories": {
        RULE_MADE: NOTE,
        CONFIRMED: QUOTED,
        REWORDED: QUOTED,
        BY_MODEL: QUOTED,
        UNCERTAIN: NOTE | {"status": "active"},
        PINNED: QUOTED,
    },
    "chat_context_queue": {
        2: {"tier": "keep", "provisional": True},
        5: {"state": "pending_summarization", "claims": 1, "result": None, "model": None, "tier": None},
        6: {"dedup_key": "root:42"},
    },
    "model_calls": {3: {"tier": "keep"}},
    "embedding_models": {0: {"changed_at": None}},
}
"""All changes to stored rows: the changed columns by table and row number. If a text changes, its vector is removed."""


IGNORED: Final = {"schema_migration", "spare_vectors"}
"""Tables that the test ignores: the list of the migrations, and a table that the upgrade removes."""

RENAMED: Final = {"lane_no": "thread_no", "rung": "tier"}
"""Columns that the upgrade renames."""


async def rows(db: asyncpg.Connection) -> dict[str, dict[tuple[object, ...], Row]]:
    """Every row of every table, by its primary key."""
    keys = await db.fetch(
        "select c.relname, array_agg(a.attname::text order by a.attnum) as key from pg_index i"
        " join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)"
        " where i.indisprimary and c.relnamespace = 'public'::regnamespace and a.attname <> 'ebits' group by 1"
    )
    found = {}
    for table, key in keys:
        texts = await db.fetch(f"select to_jsonb(t)::text from {table} t")
        stored = [{RENAMED.get(n, n): value for n, value in json.loads(text).items()} for (text,) in texts]
        found[table] = {tuple(row[column] for column in key): row for row in stored}
    return found


def changes(before: Row, after: Row) -> Row:
    """The changed columns with their new values."""
    return {column: after.get(column) for column, value in before.items() if value != after.get(column)}


def number(row: Row) -> int:
    return row.get("id") or row.get("chat_id") or 0


def expected(change: Row, seen: Row) -> Row:
    return {column: seen.get(column) if value is ... else value for column, value in change.items()}


async def test_an_upgrade_changes_what_rules_made_and_nothing_anybody_said(postgres: EmbeddedPostgres) -> None:
    async with last_release(postgres, DATA) as db:
        before = await rows(db)
        await migrate(db, migrations())
        after = await rows(db)
    assert [table for table, stored in before.items() if not stored] == []
    for table in before.keys() - IGNORED:
        allowed = CHANGES.get(table, {})
        for key, row in before[table].items():
            seen = changes(row, after[table].get(key, {}))
            gone = key not in after[table]
            assert gone == (allowed.get(number(row)) == {}), (table, key)
            assert gone or seen == expected(allowed.get(number(row), {}), seen), (table, key)


async def test_what_was_said_and_confirmed_is_there_after_an_upgrade_and_the_memory_goes_on(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    async with last_release(postgres, DATA) as db:
        await migrate(db, migrations())
        there = ServerSettings.model_validate(
            {**settings.model_dump(), "database_url": postgres.dsn(database="upgrading")}
        )
        async with opened(Storage(there, clock)) as memory, memory.client() as client:
            profile = await client.get_profile(c.GetProfileArgs())
            former = await client.explain(c.ExplainArgs(memory_id=SAID))
            quoted = await client.explain(c.ExplainArgs(memory_id=CONFIRMED))
            again = await client.remember(c.RememberArgs(content="The boat is called Argo"))
            context = await client.get_context(c.GetContextArgs(query="Where do I live?"))
    kept = {m.id: (m.content, m.note) for kind in c.Profile.model_fields for m in _memories(profile, kind)}
    assert kept == {
        RULE_MADE: ("near my dog Max", True),
        CONFIRMED: ("Lives in Bern", False),
        SAID: ("Prefers tea", False),
        REWORDED: ("Wants to learn Basque", False),
        BY_MODEL: ("Has a dog", False),
        TAGGED: ("The exam is on May 3", False),
        UNCERTAIN: ("near my dog Max", True),
        PINNED: ("Has a dog named Max", False),
    }
    assert [m.content for m in former.memories] == ["Prefers coffee"]
    assert quoted.quotes == ("I live in Bern",)
    assert again.memory.id == PINNED + 1
    assert "Lives in Bern" in (context.context or "")


async def test_vectors_of_another_model_are_deleted_and_computed_again_and_meanwhile_words_find_the_texts(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    other = DATA.replace(MODEL, "ollama:all-minilm") + NEAR_INDEX
    async with last_release(postgres, other) as db:
        await migrate(db, migrations())
        assert await db.fetchval("select active from embedding_models") == MODEL
        assert await db.fetchval("select to_regclass('messages_near_42')") is None
        assert await db.fetchval(STORED_VECTORS) == 0
        there = ServerSettings.model_validate(
            {**settings.model_dump(), "database_url": postgres.dsn(database="upgrading")}
        )
        async with opened(Storage(there, clock)) as memory, memory.client() as client:
            found = await client.search_memory(c.SearchMemoryArgs(query="Bern", kinds=("message",)))
            await EmbeddingBacklog((await memory.storage.services()).deps.database, local()).work_once()
        assert await db.fetchval("select count(*) from messages where embedding is null or ebits is null") == 0
        assert await db.fetchval(STORED_VECTORS) > 0
    assert found.results[0].text.startswith("I live in Bern")


def _memories(profile: c.Profile, kind: str) -> tuple[c.Memory, ...]:
    found = getattr(profile, kind)
    return found if isinstance(found, tuple) else ()
