"""PostgreSQL accepts every named query, and every one of them stays inside its owner."""

import re

import asyncpg
import pytest

from chatmem_sql import migrations, queries

pytestmark = pytest.mark.anyio

NO_OWNER = {
    "access_tokens": "looked up by the hash of a credential, before any owner is known",
    "server_keys": "the server's own",
    "scrubs": "the server's own",
    "pg_stats": "statistics",
}
ACROSS = {
    "queue.claim": "work of all owners",
    "queue.next_due": "work of all owners",
    "queue.chats_with_ready": "work of all owners",
    "queue.replay": "the operator's",
    "queue.redo_provisional": "work of all owners",
    "queue.status": "the operator's",
    "queue.dead": "the operator's",
    "ledger.since": "the operator's",
    "ledger.last_failure": "the operator's",
    "embeddings.messages": "the operator's",
    "embeddings.memories": "the operator's",
    "embeddings.summaries": "the operator's",
    "messages.unembedded": "the server's own background work",
    "memories.unembedded": "the server's own background work",
    "summaries.unembedded": "the server's own background work",
    "messages.set_embeddings": "owner by owner, from unnest",
    "memories.set_embeddings": "owner by owner, from unnest",
    "summaries.set_embeddings": "owner by owner, from unnest",
}
TENANT_TABLES = (
    "chats chat_metadata messages message_versions message_fts conversation_summaries text_versions thread_state memories "
    "memory_versions chat_context_queue context_receipts tombstones model_calls user_profile"
).split()


async def test_postgresql_prepares_every_query(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    failures: dict[str, str] = {}
    for name, sql in queries().items():
        try:
            await connection.prepare(sql)
        except asyncpg.PostgresError as error:
            failures[name] = str(error)
    await connection.close()
    assert failures == {}


def test_only_these_tables_have_no_owner() -> None:
    schema = migrations()[0].sql
    tables = dict(re.findall(r"create table (\w+) \((.*?)\n\)", schema, re.DOTALL))
    ownerless = {table for table, body in tables.items() if "owner_id" not in body}
    assert ownerless == set(NO_OWNER) - {"pg_stats"}
    assert set(tables) - ownerless == set(TENANT_TABLES)


@pytest.mark.parametrize("name", [name for name in queries() if name not in ACROSS and not name.startswith("scrub.")])
def test_a_query_names_the_owner_for_every_tenant_table_it_reads(name: str) -> None:
    sql = queries()[name]
    named = [table for table in TENANT_TABLES if re.search(rf"\b(?:from|join|into|update)\s+{table}\b", sql)]
    assert not named or re.search(
        r"owner_id\s*=\s*\$1|owner_id\b[^;]*\bvalues\s*\(\s*\$1|select\s+\$1|owner_id = q\.owner_id", sql
    ), name
