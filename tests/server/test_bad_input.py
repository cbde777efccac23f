"""Every tool refuses invalid input with a helpful sentence and writes nothing."""

import base64
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest
from mcp.client import Client
from mcp.types import CallToolResult, TextContent

from tellonce.contract import MAX_BIGINT, MAX_TEXT_BYTES
from tellonce_server.api.assistant import AssistantTools
from tellonce_server.api.programs import WorkTools
from tellonce_server.api.spec import specs_of
from tellonce_server.app.server import build_server
from tellonce_server.core.scope import Caller
from tests.depth import DEEP
from tests.memory_fixtures import USER, Memory, session

pytestmark = pytest.mark.anyio

MODES = ("2026-07-28", "legacy")
INSIDES = re.compile(
    r"pydantic|https?:|traceback|asyncpg|postgres|psycopg|constraint|relation \"|select |insert |site-packages|\.py\b"
    r"|object at 0x|violates|NoneType|KeyError|TypeError|ValueError|failed inside"
    r"|functools|<function|constrained|tuple|datetime|dictionary|after validation",
    re.IGNORECASE,
)
LONG = "x" * (MAX_TEXT_BYTES + 1)
MEGABYTE = "ü" * (512 * 1024)
HUGE = 10**30

NO_STRINGS: tuple[Any, ...] = (" \n\t", "a\x00b", LONG, MEGABYTE, "\ud800", 1.5, True, ["x"], {"x": 1})
NO_IDS: tuple[Any, ...] = (0, -1, HUGE, MAX_BIGINT + 1, 1.5, True, "abc", "", [1], {"x": 1})
NO_TIMES: tuple[Any, ...] = (
    *("yesterday", "", "0001-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "a\x00b", [], {}, True),
    # As seconds since 1970, these numbers would be valid but wrong times.
    *(2026, "2026", "2026-03", "20260216", 1771204500, "1771204500", 5.5),
)
NO_FLAGS: tuple[Any, ...] = ("maybe", 2, -1, 1.5, [], {}, "")

CALL = {"model": "m", "tier": "claude"}
CALLS: tuple[Any, ...] = (
    {},
    [{}],
    [{**CALL, "model": "\x00"}],
    [{**CALL, "note": "a\x00b"}],
    [{**CALL, "note": "\ud800"}],
    [{**CALL, "input_tokens": HUGE}],
    [{**CALL, "input_tokens": -1}],
    [{**CALL, "tier": "best"}],
)

VALID: dict[str, dict[str, Any]] = {
    "record_message": {"role": "user", "content": "Hello there"},
    "get_context": {},
    "search_memory": {"query": "tea"},
    "remember": {"content": "I like green tea"},
    "update_memory": {"memory_id": 1, "action": "confirm"},
    "forget": {"topic": "tea"},
    "get_profile": {},
    "summarize_chat": {},
    "explain": {"memory_id": 1},
    "start_new_chat": {},
    "claim_work": {"worker": "w", "wait_seconds": 0},
    "extend_work": {"job_id": "42:42:1", "fence": 1},
    "submit_work": {
        "job_id": "42:42:1",
        "fence": 1,
        "result": {"kind": "summary", "text": "They talked."},
        "model": "none",
        "tier": "keep",
    },
    "fail_work": {"job_id": "42:42:1", "fence": 1, "reason": "no"},
    "queue_status": {},
}
ASSISTANT = tuple(list(VALID)[:10])
AGENT = tuple(list(VALID)[10:])

WRONG: dict[str, dict[str, tuple[Any, ...]]] = {
    "record_message": {
        "role": ("system", "USER", "", 1, None, []),
        "content": (*NO_STRINGS, "", None),
        "message_id": (*NO_STRINGS, "", "9" * 129, HUGE * 10**120),
        "sent_at": (*NO_TIMES, "2026-02-16T10:00:00"),
        "channel": ("", "Tele Gram", "x" * 33, "a\x00", 3),
        "speaker": ("", "x" * 129, "\x00", 3),
        "agent_id": ("", "x" * 65, "\x00", 3),
        "routine": ("", "x" * 65, "\x00", 3),
        "summary": ("", "\x00", LONG, 3),
        "expects": ("birthday", {}, {"slot": ""}, {"slot": "x", "type": "colour"}, {"slot": "x", "type": "choice"}, []),
        "exchange_of": ("", "\x00", "9" * 129, 1.5),
    },
    "get_context": {
        "query": ("a\x00b", LONG, MEGABYTE, "\ud800", 5, []),
        "token_budget": (0, -1, 99, 100_001, HUGE, True, "4.3k", "4300.5", 1.5),
        "exclude_message_id": ("", "\x00", "9" * 129, 1.5, True),
        "as_of": NO_TIMES,
        "include": ("everything", ["everything"], [1], {}),
        "detail": ("full", "", 1),
    },
    "search_memory": {
        "query": (*NO_STRINGS, "", None),
        "kinds": ("nonsense", ["nonsense"], [1], {}),
        "where": ("everywhere", "", 1),
        "since": NO_TIMES,
        "until": NO_TIMES,
        "limit": (0, -1, 101, HUGE, True, "eight", 1.5),
        "cursor": ("", "x", "\x00", "AAAA", "-1", LONG, "A" * 60_000, 5, "eyJ9", base64.b64encode(b'{"a":1}').decode()),
    },
    "remember": {
        "content": (*NO_STRINGS, "", None),
        "kind": ("secret", "", 1),
        "scope": ("world", "", 1),
        "deadline": NO_TIMES,
        "pinned": NO_FLAGS,
        "importance": (-0.1, 1.1, "high", HUGE, [], {}),
        "source_message_id": ("", "\x00", "9" * 129, 1.5, True, "nowhere", 999_999_999),
    },
    "update_memory": {
        "memory_id": (*NO_IDS, None, 999_999, MAX_BIGINT),
        "action": ("destroy", "", 1, None, "edit", "share"),
        "content": ("", " ", "\x00", LONG, 3, "Not the text that is confirmed"),
        "to_chat_id": (1.5, True, "abc", HUGE),
    },
    "forget": {
        "topic": (*NO_STRINGS, "", None, "\u200b"),
        "literal": (*NO_STRINGS, "", "\u200b"),
        "message_ids": ([0], [-1], [True], [HUGE], {}, [999_999], list(range(1, 1002))),
        "since": (True, [], "nonsense", "9999-12-31"),
        "until": (True, [], "nonsense", "0001-01-01"),
        "except": ([0], [-1], [True], [HUGE], {}, "x"),
        # Two forms are accepted: a number as text, and a single number instead of a list. No memory has these numbers.
        "memory_ids": ([0], [-1], [True], [HUGE], {}, 999_999, ["999999"], "x", ["x"], list(range(1, 1002))),
        "everything": (True, *NO_FLAGS),
        "confirm": ("", "x", "\x00", "AAAA", LONG, "é", 5, "A" * 400),
        "include_messages": NO_FLAGS,
    },
    "get_profile": {},
    "summarize_chat": {"now": NO_FLAGS},
    "explain": {
        "memory_id": (*NO_IDS, None, 999_999, MAX_BIGINT),
        "receipt_id": ("", "\x00", "nonsense", LONG, "x" * 60_000, 5),
        "message_id": ("", "\x00", "9" * 129, 1.5, True),
    },
    "start_new_chat": {},
    "claim_work": {
        "worker": (*NO_STRINGS, "", None),
        "kinds": ("nonsense", ["nonsense"], [1]),
        "limit": (0, -1, HUGE, True, "one", 1.5),
        "wait_seconds": (-1, HUGE, "long", [-1]),
    },
    "extend_work": {
        "job_id": ("", "x", "1:1", "1:1:x", "\x00", f"{HUGE}:1:1", "42:42:999999", f"1:1:{HUGE}", "٤٢:1:1", 5, None),
        "fence": (-1, HUGE, True, "one", 1.5, None, 999),
    },
    "submit_work": {
        "job_id": ("", "x", "1:1", "\x00", f"{HUGE}:1:1", "42:42:999999", 5, None),
        "fence": (-1, HUGE, True, "one", 1.5, None, 999),
        "result": (None, {}, {"kind": "x"}, {"kind": "summary"}, {"kind": "summary", "text": "\x00"}, "text", []),
        "model": ("", "\x00", "x" * 129, 5, None),
        "tier": ("best", "", 1, None),
        "provisional": NO_FLAGS,
        "calls": CALLS,
    },
    "fail_work": {
        "job_id": ("", "x", "1:1", "\x00", f"{HUGE}:1:1", "42:42:999999", 5, None),
        "fence": (-1, HUGE, True, "one", 1.5, None, 999),
        "reason": (*NO_STRINGS, None),
        "retryable": NO_FLAGS,
        "provider_down": NO_FLAGS,
        "calls": CALLS,
    },
    "queue_status": {},
}
PLACE: dict[str, tuple[Any, ...]] = {
    "chat_id": (43, -100, -1, 999, MAX_BIGINT, HUGE, 1.5, True, "abc", "", [], {}),
    "conversation_id": ("", " ", "\x00", "9" * 129, 5, []),
    "message_thread_id": ("", " ", "\x00", "9" * 129, 0, -1, 1.5, True, HUGE, [], {}),
    "reply_to_message_id": ("", " ", "\x00", "9" * 129, 1.5, True, []),
}


@pytest.fixture
async def counted(memory: Memory, dsn: str) -> AsyncIterator[asyncpg.Connection]:
    async with session(dsn) as connection:
        yield connection


async def contents(connection: asyncpg.Connection) -> dict[str, tuple[int, str]]:
    """The row count and a digest of every table, to detect new and changed rows."""
    names = await connection.fetch(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables"
        " where schemaname not in ('pg_catalog', 'information_schema')"
    )
    rows = {}
    for record in names:
        query = f"select count(*), coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from {record['name']} t"
        rows[record["name"]] = tuple(await connection.fetchrow(query))
    return rows


async def opened(stack: AsyncExitStack, memory: Memory, tool: str, mode: str) -> Client:
    scope = "agent" if tool in AGENT else "assistant"
    caller = Caller(USER if scope == "assistant" else None, frozenset((scope,)))
    server = build_server(memory.settings, memory.storage, auth=False, caller_of=lambda: caller)
    return await stack.enter_async_context(Client(server, mode=mode))


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    """Call through the session, because `Client.call_tool` would refuse some arguments before sending them."""
    return await client.session.call_tool(tool, arguments)


def said(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def complaint(result: CallToolResult) -> str | None:
    """The reason why a result is not a helpful refusal; None if the result is a helpful refusal."""
    text = said(result)
    if not result.is_error:
        return "was accepted"
    if INSIDES.search(text):
        return f"tells insides: {text[:200]}"
    if not (20 < len(text) < 1500 and text.rstrip().endswith((".", "…"))):
        return f"is no sentence: {text[:200]!r}"
    return None


def with_place(tool: str) -> dict[str, tuple[Any, ...]]:
    place = PLACE if tool in ASSISTANT else {}
    extra = {"surprise": (1,), "user_id": (43,), "self": ("x",), "ctx": ("x",), "": (1,)}
    return {**WRONG[tool], **place, **extra}


def with_one_wrong(tool: str, field: str, value: Any) -> dict[str, Any]:
    base = dict(VALID[tool])
    if tool == "explain" and field in ("receipt_id", "message_id"):
        base = {}
    if tool == "forget" and field in ("memory_ids", "message_ids", "literal", "since", "until"):
        base = {}
    return {**base, field: value}


def shown(value: Any) -> str:
    return repr(value)[:40]


def in_modes(tools: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of a tool and a version of the protocol. The two versions alternate from tool to tool. A deep run uses both
    versions for every tool."""
    return [(tool, mode) for n, tool in enumerate(tools) for mode in (MODES if DEEP else (MODES[n % 2],))]


async def test_an_unknown_argument_is_answered_with_the_known_ones(memory: Memory) -> None:
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, "remember", MODES[0])
        answer = said(await call(client, "remember", {"text": "I keep bees"}))
    assert answer.startswith(
        "remember was not run. There is no argument text; leave it out. The arguments of remember are "
    )
    assert " content, " in answer


@pytest.mark.parametrize(("tool", "mode"), in_modes(VALID))
async def test_wrong_arguments_are_refused_with_a_sentence_and_write_nothing(
    memory: Memory, counted: asyncpg.Connection, tool: str, mode: str
) -> None:
    faults = []
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, tool, mode)
        before = await contents(counted)
        for field, values in with_place(tool).items():
            for value in values:
                fault = complaint(await call(client, tool, with_one_wrong(tool, field, value)))
                faults += [f"{field}={shown(value)} {fault}"] if fault else []
        after = await contents(counted)
    assert not faults, "\n".join(faults)
    assert after == before


def required_arguments() -> dict[str, list[str]]:
    """The tools that have required arguments, each with the names of its required arguments."""
    specs = [*specs_of(AssistantTools(_never)), *specs_of(WorkTools(_never))]
    found = {spec.name: sorted(n for n, f in spec.args.model_fields.items() if f.is_required()) for spec in specs}
    return {tool: found[tool] for tool in VALID if found[tool]}


async def _never() -> Any:
    raise AssertionError("not called")


@pytest.mark.parametrize(("tool", "mode"), in_modes(required_arguments()))
async def test_a_missing_argument_is_named(memory: Memory, tool: str, mode: str) -> None:
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, tool, mode)
        for name in required_arguments()[tool]:
            result = await call(client, tool, {k: v for k, v in VALID[tool].items() if k != name})
            assert complaint(result) is None
            assert name in said(result)


@pytest.mark.parametrize("mode", MODES)
async def test_an_unknown_tool_is_refused(memory: Memory, mode: str) -> None:
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, "remember", mode)
        for name in ("nonsense", "", "Remember", "remember ", "x" * 10_000, "../remember"):
            fault = complaint(await call(client, name, {}))
            assert fault is None, f"{name[:20]!r} {fault}"


async def test_the_refusal_of_an_unknown_memory_says_where_to_find_one(memory: Memory) -> None:
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, "update_memory", MODES[0])
        text = said(await call(client, "update_memory", {"memory_id": 812, "action": "confirm"}))
    assert "812" in text
    assert "a search finds its number" in text


async def test_a_long_value_is_not_repeated_in_its_refusal(memory: Memory) -> None:
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, "remember", MODES[0])
        for arguments in ({"content": "x", "y" * 100_000: 1}, {"content": MEGABYTE}, {"content": "x", "kind": LONG}):
            text = said(await call(client, "remember", arguments))
            assert len(text) < 1500


@pytest.mark.parametrize("mode", MODES)
async def test_the_longest_allowed_text_is_taken_and_one_byte_more_is_not(memory: Memory, mode: str) -> None:
    async with AsyncExitStack() as stack:
        client = await opened(stack, memory, "record_message", mode)
        fits = await call(client, "record_message", {"role": "user", "content": "word " * 13_107})
        not_quite = await call(client, "record_message", {"role": "user", "content": "word " * 13_108})
    assert not fits.is_error
    assert complaint(not_quite) is None


async def test_a_wrong_result_leaves_its_job_claimed_and_unchanged(memory: Memory, counted: asyncpg.Connection) -> None:
    async with AsyncExitStack() as stack:
        assistant = await opened(stack, memory, "record_message", MODES[0])
        for role, content in (("user", "I live in Lisbon"), ("assistant", "Noted.")):
            await call(assistant, "record_message", {"role": role, "content": content})
        agent = await opened(stack, memory, "claim_work", MODES[0])
        claimed = (await call(agent, "claim_work", {"worker": "w"})).structured_content
        assert claimed is not None
        job = {key: claimed["jobs"][0][key] for key in ("job_id", "fence")}
        before = await contents(counted)
        for tool, extra in (("submit_work", SUBMISSION), ("fail_work", {"reason": "no"})):
            for calls in CALLS:
                fault = complaint(await call(agent, tool, {**job, **extra, "calls": calls}))
                assert fault is None, f"{tool} calls={calls} {fault}"
        after = await contents(counted)
    assert after == before


SUBMISSION = {
    "result": {"kind": "exchange", "canonical": {}},
    "model": "none",
    "tier": "keep",
}
