"""Checks the invariants of a memory in its database after its processes were killed. A sentence describes each breach."""

import asyncio
from typing import Any

import asyncpg

from tests.crash.load import TALKERS, Ledger
from tests.crash.world import World
from tests.memory_fixtures import session

OPEN = "select count(*) from chat_context_queue where state in ('pending_summarization', 'ready_to_write')"

MESSAGES = "select ext_id, content, thread_no from messages where owner_id = $1 and chat_id = $1 order by id"

# The name of each query describes the rows that the query finds.
BREACHES = {
    "dead job": "select owner_id, id, kind, error from chat_context_queue where state = 'dead'",
    "message id stored twice": """
        select owner_id, chat_id, ext_id, count(*) from messages group by 1, 2, 3 having count(*) > 1""",
    "thread numbers with a hole": """
        select owner_id, thread_key, count(*), max(thread_no) from messages
        group by owner_id, chat_id, thread_key having count(*) <> max(thread_no) or min(thread_no) <> 1""",
    "thread whose ledger disagrees with its messages": """
        select t.owner_id, t.thread_key, t.last_no, count(m.id) from thread_state t
        left join messages m using (owner_id, chat_id, thread_key)
        group by t.owner_id, t.chat_id, t.thread_key having t.last_no <> count(m.id)""",
    "thread whose chunks do not tile it": """
        select t.owner_id, t.thread_key, t.covered_to, sum(s.count) from thread_state t
        left join conversation_summaries s
          on (s.owner_id, s.chat_id, s.thread_key, s.kind) = (t.owner_id, t.chat_id, t.thread_key, 'chunk')
        group by t.owner_id, t.chat_id, t.thread_key having coalesce(t.covered_to, 0) <> coalesce(sum(s.count), 0)""",
    "chunk job whose summary is missing": """
        select owner_id, id, thread_key, from_id from chat_context_queue q
        where kind = 'chunk_summary' and state = 'complete' and not exists (
          select from conversation_summaries s
          where (s.owner_id, s.chat_id, s.thread_key, s.kind, s.from_id, s.to_id)
              = (q.owner_id, q.chat_id, q.thread_key, 'chunk', q.from_id, q.to_id))""",
    "thread left long without a job": """
        select owner_id, thread_key, last_no, queued_to, covered_to from thread_state
        where last_no - queued_to > 12 or queued_to <> coalesce(covered_to, 0)""",
    "user message no exchange job took in": """
        select owner_id, id from messages m where role = 'user' and not exists (
          select from chat_context_queue q
          where (q.owner_id, q.chat_id, q.thread_key, q.kind, q.state)
              = (m.owner_id, m.chat_id, m.thread_key, 'exchange', 'complete') and m.id between q.from_id and q.to_id)""",
    "edit not learned from again": """
        select owner_id, id, version from messages m where role = 'user'
          and exists (select from message_versions v where (v.owner_id, v.chat_id, v.id) = (m.owner_id, m.chat_id, m.id))
          and not exists (
          select from chat_context_queue q
          where (q.owner_id, q.chat_id, q.kind, q.state, q.dedup_key)
              = (m.owner_id, m.chat_id, 'exchange', 'complete', 'edit:' || m.id))""",
    "memory stored twice": """
        select owner_id, chat_id, lower(content), count(*) from memories
        where status = 'active' and valid_to is null group by 1, 2, 3 having count(*) > 1""",
    "results applied out of order": """
        select owner_id, id, done_at, before from (
          select owner_id, id, done_at, lag(done_at) over (partition by owner_id, chat_id order by id) as before
          from chat_context_queue where state = 'complete' and class = 'live') j
        where done_at < before""",
}

# Each applied exchange writes the canonical summary once. Each time a better tier redoes the exchange, the summary can
# be written again. An empty exchange is completed without a worker and does not write the summary. An edit or an
# erasure can also clean the summary.
APPLIED = """
select c.owner_id, c.version, count(q.id) as applied, (
    select count(*) from message_versions v where v.owner_id = c.owner_id and v.chat_id = c.chat_id) + (
    select count(*) from tombstones t where t.owner_id = c.owner_id) as cleaned_at_most
from chat_metadata c
left join chat_context_queue q on (q.owner_id, q.chat_id, q.kind, q.state) = (c.owner_id, c.chat_id, 'exchange', 'complete')
  and q.model <> 'none'
group by c.owner_id, c.chat_id, c.epoch
having c.version < count(q.id) or c.version > count(q.id)
  + coalesce(sum(q.claims) filter (where q.redo), 0)
  + (select count(*) from message_versions v where v.owner_id = c.owner_id and v.chat_id = c.chat_id)
  + (select count(*) from tombstones t where t.owner_id = c.owner_id)"""

TEXT_COLUMNS = """
select table_name, column_name from information_schema.columns
where table_schema = 'public' and (data_type in ('text', 'jsonb', 'tsvector', 'ARRAY'))
  and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')"""


async def drained(world: World, seconds: float) -> list[str]:
    """Wait until no job is open. If jobs stay open too long, return them."""
    connection = await asyncpg.connect(world.dsn)
    try:
        async with asyncio.timeout(seconds):
            while await connection.fetchval(OPEN):  # noqa: ASYNC110 (other processes drain it)
                await asyncio.sleep(0.1)
    except TimeoutError:
        rows = await connection.fetch("select * from chat_context_queue where state <> 'complete' order by 1, 2, 3")
        return [f"still queued after {seconds:.0f} s: {dict(row)}" for row in rows[:5]]
    finally:
        await connection.close()
    return []


async def breaches(world: World, ledger: Ledger) -> list[str]:
    """The breaches of all invariants. No process may write while this runs."""
    async with session(world.dsn) as connection:
        found = [*ledger.violations]
        for name, statement in {**BREACHES, "canonical summary written not once a job": APPLIED}.items():
            found += [f"{name}: {dict(row)}" for row in await connection.fetch(statement)]
        for chat in TALKERS:
            found += await _conversation(connection, chat, ledger.messages.get(chat, {}))
        found += await _memories(connection, ledger.memories)
        found += await _traces(connection, world, ledger.forgotten)
    return found


async def _conversation(connection: Any, chat: int, told: dict[str, str]) -> list[str]:
    """Check that every acknowledged message exists once, with its newest acknowledged text, in the order of
    acknowledgement."""
    stored = [(row["ext_id"], row["content"]) for row in await connection.fetch(MESSAGES, chat)]
    if stored == list(told.items()):
        return []
    odd = [f"chat {chat}: told {a}, stored {b}" for a, b in zip(told.items(), stored, strict=False) if a != b]
    return [f"chat {chat}: {len(told)} messages acknowledged, {len(stored)} stored", *odd[:3]]


async def _memories(connection: Any, told: list[str]) -> list[str]:
    rows = await connection.fetch(
        "select content, count(*) as n from memories where status = 'active' and valid_to is null group by 1"
    )
    stored = {row["content"]: row["n"] for row in rows}
    return [
        f"memory acknowledged once, stored {stored.get(text, 0)} times: {text}"
        for text in told
        if stored.get(text) != 1
    ]


async def _traces(connection: Any, world: World, forgotten: list[str]) -> list[str]:
    """Check that no forgotten word is in any text column or any log."""
    if not forgotten:
        return []
    found: list[str] = []
    pattern = "|".join(forgotten)
    for table, column in await connection.fetch(TEXT_COLUMNS):
        statement = f'select "{column}"::text from "{table}" where "{column}"::text ~ $1 limit 3'
        found += [
            f"forgotten text in {table}.{column}: {row[0][:200]}" for row in await connection.fetch(statement, pattern)
        ]
    for log in world.logs():
        text = log.read_text(errors="replace")
        found += [f"forgotten text in {log.name}" for canary in forgotten if canary in text]
    return found
