"""`python -m benchmarks.scale --folder DIR --messages 10000 …`: creates seeded databases of many messages, which are
built once and reused.

Each size is a separate database in one embedded PostgreSQL below DIR. The rows have the same form as the server's rows,
but the vectors are synthetic (see `population`). The rows are in order of arrival, and the messages of all chats
alternate at random.
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

import asyncpg
import numpy as np
from asyncpg import BitString

from benchmarks.population import BIG_OWNER, MEASURED_OWNER, Chat, Vectors, Words, arrivals, chats, codes, halfvecs
from tellonce_server.domain.retrieval.lexical import index_text
from tellonce_server.embedding.local_embedder import MEAN
from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_server.store.database import open_database
from tellonce_server.store.near_indexes import build_missing
from tellonce_sql import migrations

SEED: Final = 20_260_217
START: Final = datetime(2024, 2, 1, tzinfo=UTC)
SPAN: Final = timedelta(days=720)
BATCH: Final = 20_000
MESSAGE_WORDS, SUMMARY_WORDS, MEMORY_WORDS = 24, 50, 9
KEPT, CHUNK = 20, 20
"""KEPT is the number of messages that each thread keeps verbatim. CHUNK is the number of messages in a chunk
summary."""

_MESSAGES: Final = (
    "owner_id chat_id id thread_key thread_no epoch role content channel ext_id importance tokens sent_at utc_offset"
    " recorded_at embedding ebits"
).split()
_SUMMARIES: Final = (
    "owner_id chat_id id kind thread_key epoch from_no to_no from_id to_id from_at to_at count text body tokens"
    " provisional model created_at updated_at embedding"
).split()
_MEMORIES: Final = (
    "owner_id id kind status content confidence priority importance pinned valid_from origin user_confirmed"
    " created_at updated_at embedding"
).split()
_KINDS: Final = ("fact", "preference", "goal", "date", "fact", "fact")


@dataclass(frozen=True)
class Tools:
    """The generators of rows."""

    words: Words
    vectors: Vectors
    population: Sequence[Chat]
    total: int

    def at(self, share: float) -> datetime:
        return START + SPAN * share


def name_of(messages: int) -> str:
    return f"tellonce_{messages}"


@asynccontextmanager
async def cluster(folder: Path) -> AsyncGenerator[EmbeddedPostgres]:
    """The embedded PostgreSQL below `folder`, with the same settings as in an installation."""
    folder.mkdir(parents=True, exist_ok=True)
    server = EmbeddedPostgres(folder / "postgres")
    await server.start()
    try:
        yield server
    finally:
        await server.release()


async def ensure(server: EmbeddedPostgres, folder: Path, messages: int) -> str:
    """Return the DSN of the database with `messages` messages; a database that does not exist is built first."""
    name = name_of(messages)
    admin: Any = await asyncpg.connect(server.dsn(SUPERUSER, "postgres"))
    try:
        if not await admin.fetchval("select exists (select from pg_database where datname = $1)", name):
            await admin.execute(f"drop database if exists {name}_new with (force)")
            await admin.execute(f"create database {name}_new template chatmem owner chatmem_app")
            await _fill(server, f"{name}_new", messages)
            await admin.execute(f"alter database {name}_new rename to {name}")
    finally:
        await admin.close()
    await _completed(server.dsn(database=name))
    return server.dsn(database=name)


async def _completed(dsn: str) -> None:
    """Apply the newest migrations and build the large owner's vector index, because a running server does the same."""
    connection: Any = await asyncpg.connect(dsn)
    await migrate(connection, migrations())
    await connection.close()
    database = await open_database(dsn, size=1)
    await build_missing(database, dsn)
    await database.close()


async def _fill(server: EmbeddedPostgres, name: str, messages: int) -> None:
    owner: Any = await asyncpg.connect(server.dsn(database=name))
    await migrate(owner, migrations())
    await owner.close()
    connection: Any = await asyncpg.connect(server.dsn(SUPERUSER, name))
    try:
        # The generated rows satisfy all foreign keys. The checks are off, because for a million rows they would take
        # most of the time.
        await connection.execute("set session_replication_role = replica; set synchronous_commit = off")
        await connection.set_type_codec("halfvec", schema="public", encoder=bytes, decoder=bytes, format="binary")
        tools = _tools(messages)
        indexes = await _dropped_indexes(connection)
        await _fill_heads(connection, tools)
        await _fill_messages(connection, tools)
        await _fill_summaries(connection, tools)
        await _fill_memories(connection, tools)
        for definition in indexes:
            await connection.execute(definition)
        # After an asynchronous commit, the log must be on disk before `vacuum` can mark a page as visible to all.
        await connection.execute("checkpoint")
        await connection.execute("vacuum (analyze)")
    finally:
        await connection.close()


def _tools(messages: int) -> Tools:
    rng = np.random.default_rng(SEED)
    population = chats(messages)
    total = sum(chat.size for chat in population)
    return Tools(Words(rng), Vectors(rng, model_mean()), population, total)


def model_mean() -> Sequence[float]:
    """The local model's mean vector. The codes of synthetic vectors must be relative to the same mean as the codes of
    queries."""
    mean: list[float] = json.loads(MEAN.read_text())
    return mean


async def _dropped_indexes(connection: Any) -> list[str]:
    """Drop the indexes that are not constraints, and return the indexes' definitions, so that they can be created again
    after the rows are copied."""
    rows = await connection.fetch(
        """select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
        from pg_index join pg_class c on c.oid = indrelid
        where c.relname in ('messages', 'message_fts', 'conversation_summaries', 'memories') and not indisunique"""
    )
    for row in rows:
        await connection.execute(f"drop index {row['name']}")
    return [row["definition"] for row in rows]


async def _fill_heads(connection: Any, tools: Tools) -> None:
    owners = sorted({chat.owner for chat in tools.population})
    await _copy(
        connection, "user_profile", ["owner_id", "last_memory_id"], [(o, memories_of(tools, o)) for o in owners]
    )
    rows = [(c.owner, c.chat, "telegram", c.size, _covered(c) // CHUNK, c.size // 2, START) for c in tools.population]
    columns = "owner_id chat_id channel last_id last_summary_id exchanges created_at".split()
    await _copy(connection, "chats", columns, rows)
    threads = [
        (c.owner, c.chat, f"root:{c.chat}", c.size, _covered(c) or None, _covered(c), 40 * (c.size - _covered(c)))
        for c in tools.population
    ]
    columns = "owner_id chat_id thread_key last_no covered_to queued_to open_tokens".split()
    await _copy(connection, "thread_state", columns, threads)
    heads = [
        (c.owner, c.chat, 0, "Likes plain words.", "Talks of many things.", text, len(text) // 4, 1, START)
        for c, text in zip(tools.population, tools.words.texts(len(tools.population), SUMMARY_WORDS), strict=True)
    ]
    columns = "owner_id chat_id epoch user_confirmed llm_inferred general_summary tokens version updated_at".split()
    await _copy(connection, "chat_metadata", columns, heads)


def _scope(owner: int, *chat: int) -> list[str]:
    """The lexemes that a search uses to find the texts of an owner, or of one chat."""
    return [f"@o{owner}", *(f"@c{number}" for number in chat)]


async def _fill_messages(connection: Any, tools: Tools) -> None:
    rng = np.random.default_rng(SEED + 1)
    coming = enumerate(arrivals(rng, tools.population))
    done = 0
    while batch := list(islice(coming, BATCH)):
        rows = list(_messages(tools, batch))
        await _copy(connection, "messages", _MESSAGES, rows)
        keys = [(*row[:3], index_text(row[7], None), _scope(row[0], row[1])) for row in rows]
        await _copy_indexed(connection, "message_fts", ["owner_id", "chat_id", "id"], keys)
        done += len(batch)
        if done % (5 * BATCH) == 0:
            print(f"  {done:,} of {tools.total:,} messages", flush=True)


def _messages(tools: Tools, batch: Sequence[tuple[int, tuple[int, int]]]) -> Iterator[tuple[Any, ...]]:
    texts = tools.words.texts(len(batch), MESSAGE_WORDS)
    vectors = tools.vectors.some(len(batch))
    coded = zip(texts, halfvecs(vectors), codes(vectors, tools.vectors.mean), strict=True)
    for (place, (index, number)), (text, vector, bits) in zip(batch, coded, strict=True):
        chat = tools.population[index]
        at = tools.at(place / tools.total)
        role = "user" if number % 2 else "assistant"
        yield (
            *(chat.owner, chat.chat, number, f"root:{chat.chat}", number, 0, role, text, "telegram", str(number)),
            *(0.5, len(text) // 4 + 1, at, 0, at, vector, BitString.frombytes(bits)),
        )


async def _fill_summaries(connection: Any, tools: Tools) -> None:
    rows = _summaries(tools)
    while batch := list(islice(rows, BATCH)):
        vectors = halfvecs(tools.vectors.some(len(batch)))
        made = zip(batch, tools.words.texts(len(batch), SUMMARY_WORDS), vectors, strict=True)
        whole = [
            (
                *(*row, text, "{}", len(text) // 4, False, "bench", row[11], row[11], vector),
                *(index_text(text, None), _scope(row[0], row[1])),
            )
            for row, text, vector in made
        ]
        await _copy_indexed(connection, "conversation_summaries", _SUMMARIES, whole)


def _summaries(tools: Tools) -> Iterator[tuple[Any, ...]]:
    for c in tools.population:
        for number, first in enumerate(range(1, _covered(c) + 1, CHUNK), 1):
            last = first + CHUNK - 1
            span = (tools.at(first / c.size), tools.at(last / c.size))
            yield c.owner, c.chat, number, "chunk", f"root:{c.chat}", 0, first, last, first, last, *span, CHUNK


async def _fill_memories(connection: Any, tools: Tools) -> None:
    owners = sorted({chat.owner for chat in tools.population})
    numbers = ((owner, number) for owner in owners for number in range(1, memories_of(tools, owner) + 1))
    while batch := list(islice(numbers, BATCH)):
        vectors = halfvecs(tools.vectors.some(len(batch)))
        made = zip(batch, tools.words.texts(len(batch), MEMORY_WORDS), vectors, strict=True)
        rows = [
            (
                *(owner, number, _KINDS[number % len(_KINDS)], "active", text, 0.9, 3, 0.5, number % 40 == 0),
                *(at := tools.at(number / 2_001), "extracted", False, at, at, vector),
                *(index_text(text, None), _scope(owner)),
            )
            for (owner, number), text, vector in made
        ]
        await _copy_indexed(connection, "memories", _MEMORIES, rows)


def memories_of(tools: Tools, owner: int) -> int:
    """Return the number of memories of an owner: one memory for every nine messages, at most 2,000."""
    sizes = {MEASURED_OWNER: 60, BIG_OWNER: 2_000}
    return sizes.get(owner) or min(2_000, 2 + tools.total % 3 + owner % 5)


def _covered(chat: Chat) -> int:
    """How many messages of the chat's thread are covered by chunk summaries."""
    return max(0, (chat.size - KEPT) // CHUNK * CHUNK)


async def _copy(connection: Any, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    await connection.copy_records_to_table(table, columns=columns, records=rows)


async def _copy_indexed(connection: Any, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy rows. The last two columns are the text to index and the lexemes of the text's scope. `tsv` is computed
    from these two columns."""
    names = ", ".join(columns)
    await connection.execute(
        f"create temp table if not exists staged_{table} as "
        f"select {names}, null::text as indexed_text, array[]::text[] as scope from {table} limit 0"
    )
    await _copy(connection, f"staged_{table}", [*columns, "indexed_text", "scope"], rows)
    await connection.execute(
        f"insert into {table} ({names}, tsv) "
        f"select {names}, to_tsvector('chatmem', indexed_text) || array_to_tsvector(scope) from staged_{table}"
    )
    await connection.execute(f"truncate staged_{table}")


def sizes_of(text: str) -> int:
    """Parse sizes such as 10k, 100k, 1M or a plain number."""
    units = {"k": 1_000, "m": 1_000_000}
    return int(float(text[:-1]) * units[text[-1].lower()]) if text[-1].lower() in units else int(text)


async def build(folder: Path, sizes: Sequence[int]) -> None:
    async with cluster(folder) as server:
        for size in sizes:
            started = time.perf_counter()
            await ensure(server, folder, size)
            print(f"{size:,} messages: ready after {time.perf_counter() - started:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="folder of the databases, outside the project")
    parser.add_argument("--messages", type=sizes_of, nargs="+", default=[10_000])
    args = parser.parse_args()
    asyncio.run(build(args.folder, args.messages))


if __name__ == "__main__":
    main()
