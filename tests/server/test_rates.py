"""Limits on the rate of a credential's requests, on one user's simultaneous calls, and on the time in which a request
must arrive."""

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client, ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tellonce import contract as c
from tellonce.settings import Remote, ServerSettings
from tellonce_server.app.access_tokens import create_token
from tellonce_server.app.http import RequestTimeout, serve_http
from tellonce_server.app.server import build_server
from tellonce_server.core.limits import BURST_SECONDS, MOST_BUCKETS, MOST_CONCURRENT, RateLimit
from tellonce_server.core.scope import Caller
from tellonce_server.store.database import POOL_SIZE, as_login
from tests.memory_fixtures import USER, WAITING, Clock, Memory, until_waiting
from tests.patience import HANGS, until
from tests.server.test_auth import call, running
from tests.stubs.loopback import served

pytestmark = pytest.mark.anyio

PATIENCE = 0.5
"""In these tests, a request must arrive within this number of seconds."""


class Hurried(RequestTimeout):
    seconds = PATIENCE


@given(st.lists(st.floats(0, 5), min_size=1, max_size=300), st.floats(0.5, 20))
def test_no_credential_gets_more_than_its_burst_and_its_rate(pauses: list[float], rate: float) -> None:
    now = [0.0]
    limit = RateLimit(rate, lambda: now[0])
    admitted = 0
    for pause in pauses:
        now[0] += pause
        admitted += limit.wait("one") == 0
        assert admitted <= rate * BURST_SECONDS + rate * now[0] + 1e-6


def test_a_caller_that_waits_as_asked_is_served_and_others_do_not_wait() -> None:
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    assert sum(limit.wait("greedy") == 0 for _ in range(100)) == 2 * BURST_SECONDS
    seconds = limit.wait("greedy")
    assert 0 < seconds <= 0.5
    assert limit.wait("modest") == 0
    now[0] += seconds + 1e-9
    assert limit.wait("greedy") == 0


def test_a_rate_of_nothing_is_no_limit_and_the_buckets_are_bounded() -> None:
    assert {RateLimit(0).wait("one") for _ in range(10_000)} == {0}
    limit = RateLimit(1)
    for n in range(MOST_BUCKETS + 10):
        limit.wait(str(n))
    assert len(limit._buckets) == MOST_BUCKETS


async def test_a_credential_over_its_rate_limit_gets_the_time_to_retry(settings: ServerSettings, clock: Clock) -> None:
    slow = settings.model_copy(update={"remote": Remote(rate_limit=0.2)})
    async with running(slow, clock) as (base, storage):
        await storage.services()
        async with as_login(storage.opened.login) as login:
            phone = await create_token(login, "phone", 42, ("assistant",), clock())
            tablet = await create_token(login, "tablet", 42, ("assistant",), clock())
        first, second, third = [await call(base, phone) for _ in range(3)]
        local = (settings.data_dir / "tokens" / "assistant").read_text().strip()
        others = [await call(base, tablet), *[await call(base, local) for _ in range(4)]]
    assert (first.status_code, second.status_code, third.status_code) == (200, 200, 429)
    assert 1 <= int(third.headers["retry-after"]) <= 5
    assert third.json()["error"]["message"].startswith("Too many requests with this credential; try again in")
    assert [answer.status_code for answer in others] == [200] * 5


async def echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with served(Starlette(routes=[Route("/", echo, methods=["GET", "POST"])]), protocol=Hurried) as base:
        yield int(base.rpartition(":")[2])


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"


UNFINISHED = (b"", b"GET / HT", HEAD, HEAD + b"\r\n", HEAD + b"\r\nab")


async def test_a_request_that_never_ends_loses_its_connection(port: int) -> None:
    assert await asyncio.gather(*(_all_answered(port, sent) for sent in UNFINISHED)) == [b""] * len(UNFINISHED)


async def _all_answered(port: int, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    with anyio.fail_after(HANGS):
        answered = await reader.read()
    writer.close()
    return answered


async def test_the_server_limits_the_time_of_a_request(
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocols: list[object] = []

    async def serve(server: uvicorn.Server) -> None:
        protocols.append(server.config.http)

    monkeypatch.setattr(uvicorn.Server, "serve", serve)
    await serve_http(settings)
    assert protocols == [RequestTimeout]


async def test_a_trickle_does_not_buy_time(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD)
    with anyio.fail_after(HANGS):
        ended = asyncio.create_task(reader.read())
        while not ended.done():
            writer.write(b"X-Slow: 1\r\n")
            await asyncio.wait([ended], timeout=PATIENCE / 6)
    assert ended.result() == b""
    writer.close()


async def test_after_a_whole_request_a_second_slow_one_is_cut_as_well(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    whole = HEAD + b"\r\nabcd"
    writer.write(whole)
    first = await reader.readuntil(b"\r\n\r\n4")
    writer.write(b"GET / HTTP/1.1\r\n")
    with anyio.fail_after(HANGS):
        assert await reader.read() == b""
    assert first.startswith(b"HTTP/1.1 200")
    writer.close()


async def test_a_connection_may_rest_between_requests_and_an_answer_may_take_long(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(2):
        writer.write(HEAD + b"\r\nabcd")
        with anyio.fail_after(HANGS):
            assert (await reader.readuntil(b"\r\n\r\n4")).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(PATIENCE * 1.5)
    writer.close()


async def test_many_calls_of_one_user_leave_connections_for_other_users(memory: Memory) -> None:
    """Each call of one user waits for a lock. Without a limit, these calls would use all connections to the
    database."""
    said = c.RecordMessageArgs(role="user", content="Tea is fine.")
    async with (
        memory.client() as mine,
        memory.client(43) as theirs,
        memory.tables() as tables,
        memory.tables() as other,
    ):
        await mine.record_message(said)
        async with anyio.create_task_group() as calls, tables.transaction():
            await tables.execute("select from chats for update")
            for _ in range(2 * POOL_SIZE):
                calls.start_soon(mine.record_message, said)
            await until_waiting(other, MOST_CONCURRENT)
            with anyio.fail_after(HANGS):
                await theirs.record_message(said)
            assert await other.fetchval(WAITING) == MOST_CONCURRENT
        assert await tables.fetchval("select count(*) from messages") == 2 * POOL_SIZE + 2


async def test_questions_to_a_person_that_wait_for_an_answer_hold_up_no_other_call(memory: Memory) -> None:
    asked: list[str] = []
    answers = anyio.Event()

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        await answers.wait()
        return ElicitResult(action="accept", content={"erase": True})

    caller = Caller(USER, frozenset(("assistant",)))
    server = build_server(memory.settings, memory.storage, auth=False, caller_of=lambda: caller)
    async with Client(server, mode="legacy", elicitation_callback=answer) as client, anyio.create_task_group() as calls:
        await client.call_tool("remember", {"content": "I prefer green tea"})
        with anyio.fail_after(HANGS):
            for _ in range(MOST_CONCURRENT + 1):
                calls.start_soon(client.call_tool, "forget", {"topic": "tea"})
            await until(lambda: len(asked) > MOST_CONCURRENT)
            profile = await client.call_tool("get_profile", {})
            answers.set()
    assert not profile.is_error
    assert await _memories(memory) == 0


async def _memories(memory: Memory) -> int:
    async with memory.tables() as tables:
        return int(await tables.fetchval("select count(*) from memories"))
