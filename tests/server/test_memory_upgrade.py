"""The upgrade of memories from an earlier release's schema and data."""

import pytest

from tellonce import contract as c
from tellonce import work as w
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.memory_fixtures import Clock, opened
from tests.server.older_release import upgraded

pytestmark = pytest.mark.anyio

BEFORE = """
insert into user_profile (owner_id, last_memory_id) values (42, 9);
insert into chats (owner_id, chat_id, last_id, last_job_id, exchanges, model_calls, created_at)
values (42, 42, 2, 4, 1, 3, now());
insert into thread_state (owner_id, chat_id, thread_key, last_no) values (42, 42, 'root:42', 2);
insert into messages (owner_id, chat_id, id, thread_key, lane_no, epoch, role, content, channel, importance, tokens,
  sent_at, utc_offset, recorded_at)
values (42, 42, 1, 'root:42', 1, 0, 'user', 'I live in Bern, near my dog Max.', 'telegram', 0.5, 9, now(), 0, now()),
  (42, 42, 2, 'root:42', 2, 0, 'assistant', 'Nice.', 'telegram', 0.5, 2, now(), 0, now());
insert into memories (owner_id, id, kind, status, content, quote, confidence, priority, importance, pinned, valid_from,
  valid_to, origin, user_confirmed, source_chat_id, source_ids, superseded_by, model, version, created_at, updated_at, tsv)
values
  (42, 1, 'fact', 'active', 'Name is Max', 'I live in Bern, near my dog Max', 0.9, 3, 0.5, false, now(), null,
    'extracted', false, 42, '{1}', null, 'deterministic', 1, now(), now(), to_tsvector('chatmem', 'Name is Max')),
  (42, 2, 'fact', 'active', 'Lives in Bern', 'I live in Bern', 0.9, 3, 0.5, false, now(), null,
    'extracted', true, 42, '{1}', null, 'deterministic', 1, now(), now(), to_tsvector('chatmem', 'Lives in Bern')),
  (42, 3, 'fact', 'active', 'Prefers tea', null, 1, 3, 0.5, false, now(), null,
    'user', true, 42, '{}', null, null, 1, now(), now(), to_tsvector('chatmem', 'Prefers tea')),
  (42, 4, 'fact', 'superseded', 'Prefers coffee', null, 1, 3, 0.5, false, now(), now(),
    'user', true, 42, '{}', 3, null, 1, now(), now(), to_tsvector('chatmem', 'Prefers coffee')),
  (42, 5, 'fact', 'active', 'Has a dog', 'my dog Max', 0.9, 3, 0.5, false, now(), null,
    'extracted', false, 42, '{1}', null, 'claude-haiku-4-5', 1, now(), now(), to_tsvector('chatmem', 'Has a dog'));
update memories set tsv = tsv || array_to_tsvector(array['@o42']);
insert into chat_context_queue (owner_id, chat_id, id, kind, state, thread_key, dedup_key, from_id, to_id, exchanges,
  not_before, model, rung, provisional, created_at, done_at)
values
  (42, 42, 1, 'exchange', 'complete', 'root:42', 'root:42', 1, 2, 1, now(), 'deterministic', 'offline', false, now(), now()),
  (42, 42, 2, 'profile', 'complete', 'root:42', 'profile', 1, 2, 0, now(), 'deterministic', 'offline', false, now(), now()),
  (42, 42, 3, 'profile', 'complete', 'root:42', 'profile', 1, 2, 0, now(), 'deterministic', 'offline', false, now(), now()),
  (42, 42, 4, 'exchange', 'pending_summarization', 'root:42', 'redo:root:42', 1, 2, 1, now(), null, null, false, now(), null);
insert into model_calls (owner_id, chat_id, job_id, kind, model, rung, input_tokens, output_tokens, seconds, price_usd,
  ok, note, at)
values (42, 42, 1, 'exchange', 'claude-haiku-4-5', 'claude', 1, 1, 1, 0.01, true, '', now()),
  (42, 42, 2, 'profile', 'deterministic', 'offline', 0, 0, 0, 0, true, '', now());
"""


async def test_what_rules_made_becomes_the_users_sentence_and_what_the_user_said_stays(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    async with upgraded(postgres, BEFORE) as dsn:
        there = ServerSettings.model_validate({**settings.model_dump(), "database_url": dsn})
        async with opened(Storage(there, clock)) as memory, memory.client() as client, memory.agent() as agent:
            facts = {m.id: m for m in (await client.get_profile(c.GetProfileArgs())).facts}
            before = await client.explain(c.ExplainArgs(memory_id=3))
            found = await client.search_memory(c.SearchMemoryArgs(query="Bern", kinds=("fact",)))
            known_again = await client.remember(c.RememberArgs(content="prefers tea"))
            (again,) = (await agent.claim_work(w.ClaimWorkArgs(worker="one", best_tier="claude"))).jobs
            reading = (await agent.queue_status()).reading
            async with memory.tables() as tables:
                jobs = await tables.fetch(
                    "select id, tier, provisional, class, redo from chat_context_queue order by id"
                )
                calls = await tables.fetchrow("select learning_calls, summary_calls, second_calls from chats")
                tiers = await tables.fetch("select tier from model_calls order by id")
    assert {i: (m.content, m.note, m.user_confirmed) for i, m in facts.items()} == {
        1: ("I live in Bern, near my dog Max", True, False),
        2: ("Lives in Bern", False, True),
        3: ("Prefers tea", False, True),
        5: ("Has a dog", False, False),
    }
    assert [m.content for m in before.memories] == ["Prefers coffee"]
    assert {x.id for x in found.results} == {1, 2}
    assert known_again.outcome == "duplicate"
    assert (again.kind, again.job_id) == ("exchange", "42:42:4")
    assert (reading.to_read_again, [(x.tier, x.exchanges) for x in reading.read_by]) == (2, [("keep", 1)])
    assert [tuple(job) for job in jobs] == [
        (1, "keep", True, "live", False),
        (2, "keep", False, "live", False),
        (3, "keep", True, "live", False),
        (4, None, False, "past", True),
    ]
    assert calls is not None
    assert tuple(calls) == (1, 0, 0)
    assert [row["tier"] for row in tiers] == ["claude", "keep"]


SHARED = """
insert into user_profile (owner_id, last_memory_id) values (42, 2), (-100, 1);
insert into memories (owner_id, id, chat_id, kind, status, content, confidence, priority, importance, pinned, valid_from,
  origin, user_confirmed, source_chat_id, source_ids, version, created_at, updated_at, tsv)
values
  (42, 1, null, 'fact', 'active', 'Plays the cello', 1, 3, 0.5, false, now(), 'user', true, 42, '{}', 1, now(), now(), ''),
  (42, 2, null, 'fact', 'active', 'Plays chess', 1, 3, 0.5, false, now(), 'user', true, 42, '{}', 1, now(), now(), ''),
  (-100, 1, -100, 'fact', 'active', 'Plays the cello', 1, 3, 0.5, false, now(), 'user', true, -100, '{}', 1, now(), now(),
    '');
"""


async def test_a_copy_that_was_shared_before_the_upgrade_is_known(
    postgres: EmbeddedPostgres, settings: ServerSettings, clock: Clock
) -> None:
    async with upgraded(postgres, SHARED) as dsn:
        there = ServerSettings.model_validate({**settings.model_dump(), "database_url": dsn})
        async with opened(Storage(there, clock)) as memory, memory.client() as client:
            notes = [(await client.forget(c.ForgetArgs(topic=topic))).notes for topic in ("cello", "chess")]
    told = [[note for note in of_topic if "shared" in note] for of_topic in notes]
    assert told == [["Copies that were shared stay: memory 1 in chat -100. Forget them in that chat."], []]
