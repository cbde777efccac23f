"""`forget` searches every column that may hold a person's words, and the scrub rewrites every table with such a column.
The columns are read from the database's catalog, so a new column must be searched or named here with a reason."""

import re

import asyncpg
import pytest

from tellonce_server.store.scrub import rewrites
from tellonce_sql import query

pytestmark = pytest.mark.anyio

COLUMNS = """
    select c.table_name, c.column_name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and (c.data_type in ('text', 'jsonb', 'json') or c.udt_name in ('_text', 'tsvector'))"""
SEARCHED = "select table_name, column_name from information_schema.view_column_usage where view_name = 'searched'"
PARAMETER = re.compile(r"\$\d")

OF_THE_INSTALLATION = {
    "access_tokens", "embedding_models", "schema_migration", "server_keys", "workers",
    "model_call_months", "dropped_items", "spare_vectors",
}  # fmt: skip
"""Tables with names that the operator or the program gives, counts and vectors."""
WITHOUT_WORDS = {
    "channel", "class", "dedup_key", "happens_precision", "intends", "kind", "lease_by", "model", "origin", "repeats",
    "state", "status", "subject", "thread_key", "tier", "trace_id", "worker",
}  # fmt: skip
"""Columns whose values the program chooses: names of kinds and models, keys, numbers of other rows."""
ERASED_WITH_THE_TEXT = {
    ("memories", "tsv"): "derived from the content, and written with it",
    ("message_fts", "tsv"): "derived from the content, and written with it",
    ("conversation_summaries", "tsv"): "derived from the text, and written with it",
    ("text_versions", "value"): "numbers of former_lines",
    ("forget_previews", "hits"): "numbers of matches, without text",
    **{("context_receipts", name): "every erasure deletes all receipts of the owner"
       for name in ("included", "left_out", "query", "sections")},
}  # fmt: skip
IDENTIFIERS = {("context_receipts", "id"), ("forget_previews", "id")}


async def test_every_column_with_a_persons_words_is_searched_and_its_table_is_rewritten(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        columns = {(row[0], row[1]) for row in await connection.fetch(COLUMNS)}
        await connection.execute("create view searched as " + PARAMETER.sub("null", query("forget.texts")))
        searched = {(row[0], row[1]) for row in await connection.fetch(SEARCHED)} & columns
        await connection.execute("drop view searched")
    finally:
        await connection.close()
    known = searched | set(ERASED_WITH_THE_TEXT) | IDENTIFIERS
    others = {(table, name) for table, name in columns - known if name not in WITHOUT_WORDS}
    assert {(table, name) for table, name in others if table not in OF_THE_INSTALLATION} == set()
    rewritten = {name.removeprefix("scrub.rewrite_") for name in rewrites()}
    holding = {table for table, name in searched if name not in WITHOUT_WORDS}
    assert holding | {"message_fts", "context_receipts"} <= rewritten
