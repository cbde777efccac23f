"""Tests of the plans of frequent queries. As in a server, the plans are generic, and the tables have many tenants and
current statistics."""

import json
import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import pytest
from asyncpg import BitString
from pgvector import HalfVector

from tellonce_server.embedding.model_files import MODEL
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tellonce_server.services.page.reads import PageMemoriesArgs
from tellonce_server.store.codes import ModelVector
from tellonce_server.store.database import SERVER_ROLE
from tellonce_server.store.pools import OWNER, SET
from tellonce_sql import arguments, query
from tests.memory_fixtures import START, database, session

pytestmark = pytest.mark.anyio

BIG, SMALL = 1, 2
CHATS = 400
"""The number of chats. As with private chats, each owner has one chat. Owner and chat are therefore correlated, but the
planner does not know this."""

FILL = """
with sizes as (
  select n as owner_id, case n when 1 then 3000 when 2 then 300 else 20 end as size from generate_series(1, $1) n
), rows as (
  select owner_id, owner_id as chat_id, id from sizes, generate_series(1, size) id
), owners as (
  insert into user_profile (owner_id) select owner_id from sizes
), chat as (
  insert into chats (owner_id, chat_id, created_at, last_id) select owner_id, owner_id, now(), size from sizes
), thread as (
  insert into thread_state (owner_id, chat_id, thread_key, last_no) select owner_id, owner_id, 'root:' || owner_id, size from sizes
), texts as (
  insert into message_fts (owner_id, chat_id, id, tsv)
  select owner_id, chat_id, id,
    to_tsvector('chatmem', format('word%s word%s', id % 97, id % 13)) || array_to_tsvector(array['@o' || owner_id, '@c' || chat_id])
  from rows
), statements as (
  insert into memories (owner_id, id, kind, status, content, confidence, priority, importance, pinned, valid_from, origin,
    user_confirmed, created_at, updated_at, tsv)
  select owner_id, id, 'fact', 'active', format('word%s', id % 97), 1, 3, 0.5, false,
    timestamptz '2026-01-01' + id % 100 * interval '1 minute', 'user', true, now(), now(), ''
  from rows
)
insert into messages (owner_id, chat_id, id, thread_key, thread_no, epoch, role, content, channel, ext_id, importance,
  tokens, sent_at, utc_offset, recorded_at, embedding, ebits)
select owner_id, chat_id, id, 'root:' || chat_id, id, 0, 'user', format('word%s word%s', id % 97, id % 13), 'test', id, 0.5, 9,
  timestamptz '2026-01-01' + id * interval '1 minute', 0, now(), $2::halfvec, $3::bit(384)
from rows
"""


@pytest.fixture(scope="module")
async def filled_dsn(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """A database with the rows of `FILL`, which the tests only read."""
    async with database(postgres) as dsn:
        await _fill(dsn)
        yield dsn


async def _fill(dsn: str) -> None:
    rng = random.Random(7)
    async with session(dsn) as owner:
        await owner.set_type_codec(
            "halfvec", schema="public", encoder=HalfVector.to_binary, decoder=HalfVector.from_binary, format="binary"
        )
        vector = ModelVector([rng.gauss(0, 1) for _ in range(384)], MODEL)
        await owner.execute(FILL, CHATS, vector, BitString.from_int(rng.getrandbits(384), length=384))
        for table in ("messages", "message_fts", "chats", "user_profile", "thread_state", "memories"):
            await owner.execute(f"vacuum analyze {table}")


@pytest.fixture
async def filled(filled_dsn: str) -> AsyncIterator[Any]:
    """A connection like those in the server's pools. Its role is the server's role, and its owner is the caller."""
    settings = {"role": SERVER_ROLE, "chatmem.model": MODEL, "plan_cache_mode": "force_generic_plan", "jit": "off"}
    async with session(filled_dsn, server_settings=settings) as connection:
        yield connection


async def plan_of(connection: Any, name: str, given: Sequence[object] | Mapping[str, object]) -> dict[str, Any]:
    """The plan of a prepared statement after its execution. As on the server's connections, the statement is planned
    once for all arguments."""
    args = arguments(name, given) if isinstance(given, Mapping) else given
    await connection.fetchval(SET, OWNER, str(args[0]), False)
    values = ", ".join([await connection.fetchval("select quote_nullable($1::text)", _literal(arg)) for arg in args])
    await connection.execute(f"prepare hot as {query(name)}")
    try:
        text = await connection.fetchval(f"explain (analyze, format json) execute hot ({values})")
    finally:
        await connection.execute("deallocate hot")
    plan: dict[str, Any] = json.loads(text)[0]["Plan"]
    return plan


def _literal(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, BitString):
        return value.as_string().replace(" ", "")
    if isinstance(value, HalfVector):
        return value.to_text()
    if isinstance(value, list):
        return "{" + ",".join(json.dumps(x) for x in value) + "}"
    return str(value)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def on(plan: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """The plan nodes for a table."""
    return [n for n in nodes(plan) if n.get("Relation Name") == table and n["Actual Loops"] > 0]


def searched(owner: int, chat: int | None) -> dict[str, object]:
    """Values for `retrieval.messages` and `retrieval.messages_of_chat`."""
    terms = ["'word5'", "'word7'"]
    return {
        "owner_id": owner,
        "chat_id": chat,
        "vector": ModelVector([0.5] * 384, MODEL),
        "code": BitString.from_int(3, length=384),
        "rarest": " | ".join(terms),
        "rarer_half": terms[0],
        "terms": terms,
        "all_words": True,
        "scope": f"'@c{chat}'" if chat is not None else f"'@o{owner}'",
        "below": 2**62,
        "reranked": 120,
        "of_each_kind": 120,
        "neighbored": 30,
        "span_start": None,
        "span_end": None,
        "span_late": None,
        "of_a_span": 1000,
        "named": [],
        "asks_routine": False,
        "near_index": False,
        "time_terms": "'@nothing'",
    }


OF_ONE_CHAT = [(f"retrieval.{name}", searched(BIG, BIG)) for name in ("messages", "messages_of_chat")]


def rows_read(node: dict[str, Any]) -> float:
    """The rows that a scan read in all its loops."""
    passed_over = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + passed_over) * node["Actual Loops"])


@pytest.mark.parametrize(("name", "args"), OF_ONE_CHAT)
async def test_likeness_is_an_index_only_scan_of_the_codes(filled: Any, name: str, args: dict[str, object]) -> None:
    plan = await plan_of(filled, name, args)
    scans = [n for n in on(plan, "messages") if n["Node Type"] == "Index Only Scan"]
    assert [n["Index Name"] for n in scans] == ["messages_pkey"]
    assert "chat_id" in scans[0]["Index Cond"]
    assert scans[0]["Heap Fetches"] == 0


async def test_an_owners_whole_memory_is_scanned_by_codes_too(filled: Any) -> None:
    plan = await plan_of(filled, "retrieval.messages", searched(BIG, None))
    assert any(n["Node Type"] == "Index Only Scan" and n["Index Name"] == "messages_pkey" for n in on(plan, "messages"))


async def test_words_are_found_by_the_gin_index(filled_dsn: str) -> None:
    """The search calls a function. Therefore this test checks the plan of the statement inside the function. The test
    has the role that the function uses."""
    async with session(filled_dsn, server_settings={"plan_cache_mode": "force_generic_plan"}) as owner:
        body: str = await owner.fetchval("select pg_get_function_sqlbody('messages_with'::regproc)")
        statement = body.removeprefix("BEGIN ATOMIC").strip().removesuffix("END").strip().rstrip(";")
        await owner.fetchval(SET, OWNER, str(BIG), False)
        await owner.execute(
            f"prepare words (tsquery) as {statement.replace('messages_with.words', '$1').replace(' words', ' $1')}"
        )
        text = await owner.fetchval(f"explain (analyze, format json) execute words ($$'@c{BIG}' & 'word5'$$)")
    assert any(n.get("Index Name") == "message_fts_tsv" for n in nodes(json.loads(text)[0]["Plan"]))


@pytest.mark.parametrize(("name", "args"), [*OF_ONE_CHAT, ("retrieval.messages", searched(BIG, None))])
async def test_no_table_of_messages_is_read_from_end_to_end(filled: Any, name: str, args: dict[str, object]) -> None:
    plan = await plan_of(filled, name, args)
    assert [n["Relation Name"] for n in nodes(plan) if n["Node Type"] == "Seq Scan"] == []


@pytest.mark.parametrize("by_words", [True, False])
async def test_the_statement_for_the_usual_question_finds_the_same_candidates(filled: Any, by_words: bool) -> None:
    found = []
    # All vectors are equal, so two searches by vectors have the same result only if they find all messages.
    none = {"vector": None, "code": None, "reranked": 0, "of_each_kind": 9}
    asked = searched(SMALL, SMALL) | (none if by_words else {"reranked": 1_000, "of_each_kind": 1_000})
    for name in ("retrieval.messages", "retrieval.messages_of_chat"):
        await filled.fetchval(SET, OWNER, str(SMALL), False)
        args = arguments(name, asked)
        values = ", ".join([await filled.fetchval("select quote_nullable($1::text)", _literal(arg)) for arg in args])
        await filled.execute(f"prepare asked as {query(name)}")
        found.append([tuple(row) for row in await filled.fetch(f"execute asked ({values})")])
        await filled.execute("deallocate asked")
    assert sorted(found[0], key=str) == sorted(found[1], key=str)
    assert len(found[0]) == (27 if by_words else 300)


@pytest.mark.parametrize(("name", "args"), OF_ONE_CHAT)
async def test_a_candidate_is_fetched_by_its_key_not_by_reading_its_chat(
    filled: Any, name: str, args: dict[str, object]
) -> None:
    """If another index begins with owner and chat, the planner can choose this index and read the whole chat for every
    candidate."""
    plan = await plan_of(filled, name, args)
    fetches = [n for n in on(plan, "messages") if n["Node Type"] == "Index Scan"]
    assert fetches
    assert {n["Index Name"] for n in fetches} == {"messages_pkey"}
    assert sum(rows_read(n) for n in fetches) <= 1000


async def test_the_setting_of_a_query_costs_the_latest_messages_not_the_chat(filled: Any) -> None:
    plan = await plan_of(filled, "retrieval.scope_facts", [BIG, BIG, "word5 word7", "", "", None, None])
    assert sum(rows_read(n) for n in on(plan, "messages")) <= 200


@pytest.mark.parametrize("chat", [SMALL, None])
async def test_whole_texts_are_fetched_by_key(filled: Any, chat: int | None) -> None:
    owner = SMALL if chat else BIG
    plan = await plan_of(filled, "retrieval.contents", [owner, [owner] * 3, [5, 6, 7]])
    assert sum(rows_read(n) for n in on(plan, "messages")) == 3


async def test_a_window_is_read_from_its_thread_not_from_the_chat(filled: Any) -> None:
    args: list[object] = [BIG, BIG, f"root:{BIG}", 20, 50, 20, 40, None, 400]
    args += [START, "telegram", "7", None, f"root:{BIG}", 4, 2, 3, 2**52, True]
    plan = await plan_of(filled, "context.read", args)
    window = [n for n in on(plan, "messages") if n.get("Index Name") == "messages_thread"]
    assert window
    assert {n["Index Name"] for n in on(plan, "messages")} <= {"messages_thread", "messages_ext_id"}
    # The query reads up to 400 messages to show, and counts 3,000 uncovered messages in the index.
    assert sum(rows_read(n) for n in on(plan, "messages")) == 3400


async def test_a_message_is_found_by_its_channels_id_alone(filled: Any) -> None:
    plan = await plan_of(filled, "messages.by_ext_id", [BIG, BIG, "77", "test"])
    assert sum(rows_read(n) for n in on(plan, "messages")) == 1


async def test_messages_of_a_span_of_time_are_found_by_time(filled: Any) -> None:
    span = {"span_start": START, "span_end": START, "span_late": START}
    plan = await plan_of(filled, "retrieval.messages", searched(BIG, BIG) | span)
    dated = [n for n in on(plan, "messages") if "sent_at" in n.get("Index Cond", "")]
    assert [n["Index Name"] for n in dated] == ["messages_sent_at"]


@pytest.mark.parametrize("counted", [True, False])
async def test_a_page_of_memories_is_read_from_the_index_in_its_order(filled: Any, counted: bool) -> None:
    """Only the first page also counts all memories."""
    values = dict(PageMemoriesArgs()) | {"owner_id": BIG, "statuses": ["active"], "learned_since": None, "limit": 101}
    values |= {"after_time": START, "after_id": 2**40, "counted": counted}
    plan = await plan_of(filled, "page.memories", values)
    listed, *others = sorted(on(plan, "memories"), key=lambda n: "valid_from" not in n["Index Cond"])
    assert listed["Index Name"] == "memories_listed"
    assert rows_read(listed) == 101
    assert sum(rows_read(n) for n in others) == (3000 if counted else 0)


CHANGED = """
update memories set source_chat_id = owner_id, source_ids = array[id], version = 2,
  superseded_by = case when id % 2 = 0 then id + 1 end, status = case when id % 2 = 0 then 'superseded' else 'active' end,
  valid_to = case when id % 2 = 0 then now() end
where owner_id = 1 and id <= 1000"""


async def test_changed_statements_are_joined_by_key_and_not_with_each_other(filled: Any) -> None:
    await filled.fetchval(SET, OWNER, str(BIG), False)
    changes = filled.transaction()
    await changes.start()
    await filled.execute(CHANGED)
    plan = await plan_of(filled, "memories.changes", [BIG, [BIG], [1], [1000], None])
    await changes.rollback()
    passed_over = sum(n.get("Rows Removed by Join Filter", 0) * n["Actual Loops"] for n in nodes(plan))
    assert plan["Actual Rows"] == 500
    assert passed_over == 0
    assert max(rows_read(n) for n in nodes(plan)) <= 5000
