"""The upgrade that gives every assistant its own chat. Messages that were stored in the Telegram chat by default move
to the assistant's chat."""

from typing import Final

import asyncpg
import pytest

from tellonce import contract as c
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.core.scope import conversation
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.store import threads
from tests.memory_fixtures import USER, Clock, opened
from tests.server.older_release import upgraded

pytestmark = pytest.mark.anyio

PHONE: Final = conversation(USER, "phone").chat_id
CODE: Final = conversation(USER, "claude-code").chat_id
ALONE: Final = conversation(43, "phone").chat_id

BEFORE: Final = """
insert into user_profile (owner_id, last_memory_id) values (42, 6), (43, 1);
insert into chats (owner_id, chat_id, channel, last_id, last_summary_id, last_job_id, exchanges, created_at)
values (42, 42, 'phone', 26, 5, 9, 12, '2026-01-01'), (43, 43, 'phone', 4, 2, 0, 2, '2026-01-01');
-- Telegram and the phone take turns in the root thread. All messages of the topic are Claude Code's, and all of the
-- reply thread are Telegram's.
insert into messages (owner_id, chat_id, id, thread_key, lane_no, epoch, role, content, channel, ext_id, importance, tokens,
  sent_at, utc_offset, recorded_at)
select 42, 42, n, 'root:42', n, 0, case n % 4 when 1 then 'user' when 2 then 'user' else 'assistant' end,
  'Word ' || n || ' of the ' || case n % 2 when 1 then 'bot' else 'phone' end, case n % 2 when 1 then 'telegram' else 'phone' end,
  n::text, 0.5, 5, '2026-01-03'::timestamptz + n * interval '1 minute', 60, '2026-01-03'::timestamptz
from generate_series(1, 20) n
union all
select 42, 42, n, case when n < 25 then 'topic:42:7' else 'reply:42:1' end, case when n < 25 then n - 20 else n - 24 end, 0,
  case n % 2 when 1 then 'user' else 'assistant' end, 'Word ' || n, case when n < 25 then 'claude-code' else 'telegram' end,
  n::text, 0.5, 5, '2026-01-04'::timestamptz + n * interval '1 minute', 60, '2026-01-04'::timestamptz
from generate_series(21, 26) n
union all
select 43, 43, n, 'root:43', n, 0, case n % 2 when 1 then 'user' else 'assistant' end, 'Word ' || n, 'phone', n::text, 0.5, 5,
  '2026-01-03'::timestamptz + n * interval '1 minute', 60, '2026-01-03'::timestamptz
from generate_series(1, 4) n;
insert into message_versions values (42, 42, 2, 1, 'An older word of the phone', '2026-01-03');
insert into message_fts select owner_id, chat_id, id,
  to_tsvector('chatmem', content) || array_to_tsvector(array['@o' || owner_id, '@c' || chat_id]) from messages;
insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id, from_at, to_at,
  count, text, body, tokens, provisional, model, created_at, updated_at, tsv, folded_to)
select s.owner_id, s.owner_id, s.id, s.kind, s.thread_key, 0, s.from_no, s.to_no, s.from_id, s.to_id, '2026-01-03'::timestamptz, '2026-01-03'::timestamptz,
  s.to_id - s.from_id + 1, s.text, '{}'::jsonb, 5, false, 'claude-haiku-4-5', '2026-01-03'::timestamptz, '2026-01-03'::timestamptz,
  to_tsvector('chatmem', s.text) || array_to_tsvector(array['@o' || s.owner_id, '@c' || s.owner_id]), null::bigint
from (values
  (42, 1, 'chunk', 'root:42', 1, 6, 1, 6, 'Both spoke.'),
  (42, 2, 'chunk', 'root:42', 7, 12, 7, 12, 'Both spoke on.'),
  (42, 3, 'thread', 'root:42', null, null, 1, 12, 'They speak.'),
  (42, 4, 'chunk', 'topic:42:7', 1, 2, 21, 22, 'Code was written.'),
  (42, 5, 'thread', 'topic:42:7', null, null, 21, 22, 'It is about code.'),
  (43, 1, 'chunk', 'root:43', 1, 2, 1, 2, 'The phone spoke.'),
  (43, 2, 'session', 'session:43', null, null, 1, 2, 'All was the phone.')
) as s (owner_id, id, kind, thread_key, from_no, to_no, from_id, to_id, text);
insert into chat_metadata (owner_id, chat_id, epoch, general_summary, tokens, version, updated_at)
values (42, 42, 0, 'A talk of two.', 4, 1, '2026-01-03'), (43, 43, 0, 'A talk of one.', 4, 1, '2026-01-03');
insert into thread_state (owner_id, chat_id, thread_key, last_no, covered_to, queued_to, open_tokens, focus_id)
values (42, 42, 'root:42', 20, 12, 16, 20, 20), (42, 42, 'topic:42:7', 4, 2, 2, 10, 24), (42, 42, 'reply:42:1', 2, null, 0, 10, 26),
  (43, 43, 'root:43', 4, 2, 2, 10, 4);
insert into memories (owner_id, id, chat_id, kind, status, content, confidence, priority, importance, pinned, valid_from, origin,
  user_confirmed, source_chat_id, source_ids, created_at, updated_at, tsv)
values
  (42, 1, 42, 'fact', 'active', 'Told by phone', 0.9, 3, 0.5, false, '2026-01-03', 'extracted', false, 42, '{2,4}', now(), now(), ''),
  (42, 2, 42, 'fact', 'active', 'Told the bot', 0.9, 3, 0.5, false, '2026-01-03', 'extracted', false, 42, '{1,2}', now(), now(), ''),
  (42, 3, 42, 'fact', 'active', 'Kept for the code', 0.9, 3, 0.5, false, '2026-01-03', 'tag', false, 42, '{21}', now(), now(), ''),
  (42, 4, 42, 'fact', 'active', 'Kept for the bot', 0.9, 3, 0.5, false, '2026-01-03', 'user', true, null, '{}', now(), now(), '');
insert into chat_context_queue (owner_id, chat_id, id, kind, state, thread_key, dedup_key, from_id, to_id, not_before, created_at, result)
values
  (42, 42, 1, 'exchange', 'pending_summarization', 'root:42', 'root:42', 17, 20, now(), now(), null),
  (42, 42, 2, 'chunk_summary', 'pending_summarization', 'root:42', 'root:42#13', 13, 16, now(), now(), null),
  (42, 42, 3, 'exchange', 'ready_to_write', 'topic:42:7', 'topic:42:7', 23, 24, now(), now(), '{"kind": "exchange"}'),
  (42, 42, 4, 'exchange', 'pending_summarization', 'reply:42:1', 'reply:42:1', 25, 26, now(), now(), null),
  (42, 42, 5, 'profile', 'pending_summarization', 'root:42', 'profile', 0, 0, now(), now(), null);
"""


async def test_other_channels_messages_move_to_chats_of_their_own_and_telegrams_stay(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    async with upgraded(postgres, BEFORE) as dsn:
        db = await asyncpg.connect(dsn)
        said = await db.fetch(
            "select chat_id, thread_key, channel, array_agg(id order by thread_no) as ids, array_agg(thread_no order by thread_no) as nos"
            " from messages where owner_id = 42 group by 1, 2, 3"
        )
        found = {(r["chat_id"], r["thread_key"]): (r["channel"], r["ids"], r["nos"]) for r in said}
        jobs = await db.fetch(
            "select chat_id, kind, dedup_key, from_id, to_id, state from chat_context_queue where owner_id = 42"
            " and state <> 'complete'"
        )
        kept = await db.fetch(
            "select id, chat_id, source_chat_id, source_ids from memories where owner_id = 42 order by id"
        )
        texts = await db.fetch("select chat_id, general_summary from chat_metadata order by owner_id")
        rolling = await db.fetch(
            "select chat_id, kind, thread_key from conversation_summaries where kind <> 'chunk' order by owner_id, id"
        )
        chunks = await db.fetch(
            "select chat_id, text, count, provisional from conversation_summaries where kind = 'chunk' and owner_id = 42"
        )
        scoped = await db.fetchval("select count(*) from message_fts where tsv @@ ('''@c' || chat_id || '''')::tsquery")
        older = await db.fetchval("select chat_id from message_versions")
        await db.close()
        there = ServerSettings.model_validate({**settings.model_dump(), "database_url": dsn})
        async with opened(Storage(there, clock)) as memory, memory.client() as client:
            gaps = await threads.gaps((await memory.storage.services()).deps.database, USER)
            window = await client.get_context(c.GetContextArgs(chat_id=PHONE))
            bots = await client.get_context(c.GetContextArgs())
            for n in range(100, 140):  # new chunks are numbered after the moved chunks
                args = c.RecordMessageArgs(role="user", content=f"Word {n}", message_id=str(n), chat_id=PHONE)
                await client.record_message(args)
            after = await threads.gaps((await memory.storage.services()).deps.database, USER)
    odd, even = list(range(1, 21, 2)), list(range(2, 21, 2))
    assert found == {
        (42, "root:42"): ("telegram", odd, list(range(1, 11))),
        (42, "reply:42:1"): ("telegram", [25, 26], [1, 2]),
        (PHONE, f"root:{PHONE}"): ("phone", even, list(range(1, 11))),
        (CODE, f"topic:{CODE}:7"): ("claude-code", [21, 22, 23, 24], [1, 2, 3, 4]),
    }
    assert gaps == after == []
    assert "of the bot" not in (window.context or "")
    assert "of the phone" not in (bots.context or "")
    assert window.coverage.model_dump() == {"verbatim": 4, "summarised": 6, "pending": 0, "gap": 0}
    assert {tuple(chunk) for chunk in chunks} == {
        *((chat, "Both spoke. Both spoke on.", 6, True) for chat in (42, PHONE)),
        (CODE, "Code was written.", 2, False),
    }
    assert {tuple(r) for r in rolling} == {
        (42, "thread", "root:42"),
        (CODE, "thread", f"topic:{CODE}:7"),
        (ALONE, "session", f"session:{ALONE}"),
    }
    assert [tuple(r) for r in texts] == [(42, "A talk of two."), (ALONE, "A talk of one.")]
    assert [(r["id"], r["chat_id"], r["source_chat_id"], r["source_ids"]) for r in kept] == [
        (1, None, PHONE, [2, 4]),
        (2, None, 42, [1]),
        (3, CODE, CODE, [21]),
        (4, 42, None, []),
    ]
    assert {tuple(job) for job in jobs} == {
        (42, "exchange", "root:42", 17, 19, "pending_summarization"),
        (PHONE, "exchange", f"root:{PHONE}", 18, 20, "pending_summarization"),
        (42, "chunk_summary", "root:42#7", 13, 15, "pending_summarization"),
        (PHONE, "chunk_summary", f"root:{PHONE}#7", 14, 16, "pending_summarization"),
        (CODE, "exchange", f"topic:{CODE}:7", 23, 24, "pending_summarization"),
        (42, "exchange", "reply:42:1", 25, 26, "pending_summarization"),
        (42, "profile", "profile", 0, 0, "pending_summarization"),
        (42, "erasure", "erasure:1", 1, 11, "pending_summarization"),
        (PHONE, "erasure", "erasure:2", 2, 12, "pending_summarization"),
        (42, "thread_summary", "anew:root:42", 0, 0, "pending_summarization"),
    }
    assert scoped == 30
    assert older == PHONE


SMALL: Final = """
insert into user_profile (owner_id) values (42);
insert into chats (owner_id, chat_id, last_id, last_summary_id, last_job_id, created_at) values (42, 42, 60, 33, 3, '2026-01-01');
insert into messages (owner_id, chat_id, id, thread_key, lane_no, epoch, role, content, channel, importance, tokens, sent_at,
  utc_offset, recorded_at)
select 42, 42, n, 'root:42', n, 0, 'user', 'Word ' || n, 'telegram', 0.5, 5, '2026-01-03'::timestamptz + n * interval '1 minute', 60,
  '2026-01-03'::timestamptz
from generate_series(1, 60) n;
-- Chunk summaries as the rule of age made them: one of twelve messages, thirty of one message each, one of five.
insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id, from_at, to_at,
  count, text, body, tokens, provisional, model, created_at, updated_at, tsv)
select 42, 42, row_number() over (), 'chunk', 'root:42', 0, a, b, a, b, '2026-01-03'::timestamptz, '2026-01-03'::timestamptz,
  b - a + 1, 'Text ' || a || '.', jsonb_build_object('decisions', jsonb_build_array('Decided ' || a)), 5, false, 'claude-haiku-4-5',
  '2026-01-03'::timestamptz, '2026-01-03'::timestamptz, to_tsvector('chatmem', 'Text')
from (select 1 as a, 12 as b union all select n, n from generate_series(13, 42) n union all select 43, 47) chunks;
insert into thread_state (owner_id, chat_id, thread_key, last_no, covered_to, queued_to, open_tokens)
values (42, 42, 'root:42', 60, 47, 47, 65);
"""


async def test_chunks_of_one_message_become_chunks_of_ten_to_twenty(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    async with upgraded(postgres, SMALL) as dsn:
        db = await asyncpg.connect(dsn)
        chunks = await db.fetch(
            "select from_no, to_no, count, text, body from conversation_summaries where kind = 'chunk' order by from_no"
        )
        jobs = await db.fetch("select kind, class, from_id, to_id from chat_context_queue order by from_id")
        await db.close()
        there = ServerSettings.model_validate({**settings.model_dump(), "database_url": dsn})
        async with opened(Storage(there, clock)) as memory:
            gaps = await threads.gaps((await memory.storage.services()).deps.database, USER)
    assert [(r["from_no"], r["to_no"], r["count"]) for r in chunks] == [(1, 20, 20), (21, 40, 20), (41, 47, 7)]
    assert chunks[2]["text"] == "Text 41. Text 42. Text 43."
    assert "Decided 41" in chunks[2]["body"]
    assert [tuple(job) for job in jobs] == [
        ("erasure", "past", 1, 20),
        ("erasure", "past", 21, 40),
        ("erasure", "past", 41, 47),
    ]
    assert gaps == []
