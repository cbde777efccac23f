"""For an owner with very many messages, a separate index is built while the server runs. A search with this index finds
the same messages as a full scan."""

import random
from zoneinfo import ZoneInfo

import asyncpg
import pytest
from pgvector import HalfVector

from tellonce_server.domain.retrieval.asked_times import AskedTimes
from tellonce_server.domain.retrieval.candidates import MANY, Scan
from tellonce_server.domain.retrieval.question import ScopeFacts, question
from tellonce_server.domain.retrieval.search_results import SearchRequest
from tellonce_server.embedding.model_files import MODEL
from tellonce_server.store import retrieval
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database, open_database
from tellonce_server.store.near_indexes import build_missing
from tests.memory_fixtures import START

pytestmark = pytest.mark.anyio

OWNER, OTHER = 7, 8
MESSAGES = 300


def unit(rng: random.Random) -> list[float]:
    vector = [rng.gauss(0, 1) for _ in range(384)]
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]


async def fill(dsn: str) -> dict[int, list[float]]:
    """Store messages of two owners. Returns the vectors of the first one."""
    rng = random.Random(5)
    vectors: dict[int, list[float]] = {}
    connection = await asyncpg.connect(dsn)
    await connection.set_type_codec(
        "halfvec", schema="public", encoder=HalfVector.to_binary, decoder=HalfVector.from_binary, format="binary"
    )
    for owner in (OWNER, OTHER):
        await connection.execute("insert into user_profile (owner_id) values ($1)", owner)
        await connection.execute(
            "insert into chats (owner_id, chat_id, created_at, last_id) values ($1, $1, $2, $3)", owner, START, MESSAGES
        )
        for number in range(1, MESSAGES + 1):
            vector = unit(rng)
            if owner == OWNER:
                vectors[number] = vector
            await connection.execute(
                "insert into messages (owner_id, chat_id, id, thread_key, thread_no, epoch, role, content, channel, importance,"
                " tokens, sent_at, utc_offset, recorded_at, embedding, ebits)"
                " values ($1, $1, $2, 'root', $2, 0, 'user', 'x', 'test', 0.5, 1, $3, 0, $3, $4, $5)",
                *(owner, number, START, ModelVector(vector, MODEL), code(vector, [0.0] * 384)),
            )
            await connection.execute(
                "insert into message_fts (owner_id, chat_id, id, tsv) values ($1, $1, $2, '')", owner, number
            )
    await connection.close()
    return vectors


async def nearest(database: Database, vector: list[float], most: int) -> list[int]:
    """The nearest messages by vector alone, as a search finds them."""
    request = SearchRequest(OWNER, OWNER, None, "x", START, ZoneInfo("UTC"))
    asked = question("x", ScopeFacts(["none"], [], MANY, 0, None, span_holds=False, near_index=True), {}, AskedTimes())
    scan = Scan(request, asked, MANY, 2**62, ModelVector(vector, MODEL), code(vector, [0.0] * 384), near_index=True)
    rows = await retrieval.search_rows(database, "messages", scan.values | {"of_each_kind": most, "neighbored": 0})
    return [row["id"] for row in sorted(rows, key=lambda row: -row["cosine"])]


async def test_the_index_is_built_once_for_the_large_owner_alone_and_finds_the_nearest(dsn: str) -> None:
    vectors = await fill(dsn)
    database = await open_database(dsn, size=1)
    try:
        assert await build_missing(database, dsn, MESSAGES + 1) == 0
        assert await build_missing(database, dsn, MESSAGES) == 2
        assert await build_missing(database, dsn, MESSAGES) == 0
        scope_facts = await database.row("retrieval.scope_facts", OWNER, OWNER, "x", "", "", None, None)
        assert scope_facts is not None
        assert scope_facts["near_index"]
        asked = vectors[17]
        by_hand = sorted(vectors, key=lambda n: -sum(a * b for a, b in zip(asked, vectors[n], strict=True)))[:10]
        found = await nearest(database, asked, 10)
        assert found[0] == 17
        assert len(set(found) & set(by_hand)) >= 9
    finally:
        await database.close()


async def test_a_half_built_index_is_not_used_and_is_rebuilt(dsn: str) -> None:
    await fill(dsn)
    database = await open_database(dsn, size=1)
    connection = await asyncpg.connect(dsn)
    try:
        await build_missing(database, dsn, MESSAGES)
        await connection.execute("drop index messages_near_7")
        # Like a build that was killed, this failed build leaves an invalid index of that name.
        with pytest.raises(asyncpg.UniqueViolationError):
            await connection.execute("create unique index concurrently messages_near_7 on messages (role)")
        scope_facts = await database.row("retrieval.scope_facts", OWNER, OWNER, "x", "", "", None, None)
        assert scope_facts is not None
        assert not scope_facts["near_index"]
        assert await build_missing(database, dsn, MESSAGES) == 1
        scope_facts = await database.row("retrieval.scope_facts", OWNER, OWNER, "x", "", "", None, None)
        assert scope_facts is not None
        assert scope_facts["near_index"]
    finally:
        await connection.close()
        await database.close()
