"""The server as a process: HTTP requests that it refuses, the start and end of a stdio server, and the end after a
signal."""

import asyncio
import json
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tellonce import contract as c
from tellonce.client import MemoryRefused, MemoryUnreachable
from tellonce.connect import connect_http
from tellonce_server.postgres.embedded_cluster import postmaster
from tellonce_server.postgres.embedded_server import EmbeddedPostgres
from tests.memory_fixtures import database
from tests.patience import HANGS, promised, until
from tests.server.processes import HttpServer, Process, cold_stdio_server, end, exit_code, http_server, stdio_server
from tests.server.wire import request, wire_headers

pytestmark = pytest.mark.anyio

LEGACY_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
FIRST_LIST_SECONDS = 3.0
FIRST_LIST_ATTEMPTS = 4
END_SECONDS = 5.0
UNDELAYED_SECONDS = 0.03
FIRST_CALLS, MOST_CALLS = 20, 400


async def post(server: HttpServer, http: httpx2.AsyncClient, **headers: str) -> httpx2.Response:
    return await http.post(server.url, json=request("tools/list"), headers={**wire_headers("tools/list"), **headers})


@pytest.fixture
async def http_process(tmp_path: Path, dsn: str) -> AsyncIterator[HttpServer]:
    """A server that the test ends or kills."""
    async with http_server(tmp_path / "data", dsn) as server:
        yield server


@pytest.fixture(scope="module")
async def lasting(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> AsyncIterator[HttpServer]:
    """A server for several tests. The server survives the requests of these tests, and nothing is stored in it."""
    async with database(postgres) as dsn, http_server(tmp_path_factory.mktemp("lasting"), dsn) as server:
        yield server


async def test_http_answers_only_who_brings_a_token_and_comes_by_its_name(lasting: HttpServer) -> None:
    bearer = lasting.headers()
    async with httpx2.AsyncClient() as http:
        good = await post(lasting, http, **bearer)
        none = await post(lasting, http)
        wrong = await post(lasting, http, Authorization="Bearer " + "x" * 43)
        empty = await post(lasting, http, Authorization="Bearer")
        basic = await post(lasting, http, Authorization="Basic dTpw")
        host = await post(lasting, http, Host="evil.example", **bearer)
        origin = await post(lasting, http, Origin="https://evil.example", **bearer)
        local = await post(lasting, http, Origin="http://localhost:6274", **bearer)
        foreign = {"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": "localhost"}
        paths = (
            "/health",
            "/ready",
            "/",
            "/page",
            "/page/app.js",
            "/page/nowhere",
            "/nowhere",
            "/mcp/",
            "/.well-known/oauth-protected-resource/mcp",
        )
        told = {
            path: [(await http.get(f"{lasting.base}{path}", headers=headers)).status_code for headers in foreign]
            for path in paths
        }
    assert good.status_code == 200
    assert [r.status_code for r in (none, wrong, empty, basic)] == [401] * 4
    assert "bearer" in none.headers["www-authenticate"].lower()
    assert (host.status_code, origin.status_code, local.status_code) == (421, 403, 200)
    assert {path: statuses[:2] for path, statuses in told.items()} == {path: [421, 403] for path in paths}
    assert [path for path, (*_, local_status) in told.items() if local_status == 421] == []


async def test_http_refuses_a_body_over_the_limit_and_lives_on(lasting: HttpServer) -> None:
    bearer = lasting.headers()
    big = json.dumps(request("tools/call", name="remember", arguments={"content": "x" * 3_000_000}))
    async with httpx2.AsyncClient() as http:
        told = await http.post(lasting.url, content=big, headers={**wire_headers("tools/call", "remember"), **bearer})

        async def pieces():
            for start in range(0, len(big), 65536):
                yield big[start : start + 65536].encode()

        chunked = await http.post(
            lasting.url, content=pieces(), headers={**wire_headers("tools/call", "remember"), **bearer}
        )
        after = await post(lasting, http, **bearer)
    assert (told.status_code, chunked.status_code) == (413, 413)
    assert after.status_code == 200


async def test_http_answers_malformed_requests_with_an_error_and_no_insides(lasting: HttpServer) -> None:
    bodies = (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"[" * 5000, b'{"id":1e999}')
    headers = {**wire_headers("tools/list"), **lasting.headers(), "Content-Type": "application/json"}
    async with httpx2.AsyncClient() as http:
        answers = [await http.post(lasting.url, content=body, headers=headers) for body in bodies]
        after = await post(lasting, http, **lasting.headers())
    assert [a.status_code for a in answers] == [400] * len(bodies)
    assert not [a.text for a in answers if "Traceback" in a.text or "site-packages" in a.text]
    assert after.status_code == 200


UNSTORABLE = (
    r'{"content":"a\ud800b"}',
    r'{"content":"a\u0000b"}',
    r'{"content":"I like tea","importance":NaN}',
    r'{"content":"I like tea","importance":1e999}',
    r'{"content":"I like tea","message_thread_id":1' + "0" * 400 + "}",
    r'{"content":"I like tea","kind":' + "[" * 900 + "]" * 900 + "}",
)


@pytest.mark.parametrize("arguments", UNSTORABLE, ids=range(len(UNSTORABLE)))
async def test_http_refuses_values_json_can_write_and_a_database_cannot_hold(
    lasting: HttpServer, arguments: str
) -> None:
    body = json.dumps(call_of("remember")).replace('"arguments": {}', f'"arguments": {arguments}')
    assert arguments in body
    headers = {**wire_headers("tools/call", "remember"), **lasting.headers(), "Content-Type": "application/json"}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(lasting.url, content=body.encode(), headers=headers)
    assert answer.status_code in (200, 400)
    refusal = answer.json()
    assert "error" in refusal or refusal["result"]["isError"]
    assert "Traceback" not in answer.text
    assert "failed inside" not in answer.text
    async with connect_http(lasting.url, lasting.token()) as client:
        profile = await client.get_profile(c.GetProfileArgs())
    assert profile.facts == profile.preferences == ()


async def test_stdio_answers_lines_that_are_no_requests_and_lives_on(tmp_path: Path, dsn: str) -> None:
    process = await stdio_server(tmp_path / "data", dsn)
    assert process.stdin is not None
    for line in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 5000, b'{"jsonrpc":"2.0"}', b"x" * 100_000):
        process.stdin.write(line + b"\n")
    assert len((await ask(process, request("tools/list", 7)))["result"]["tools"]) == 10
    assert await close(process) == 0


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_each_token_lists_and_calls_only_its_own_tools(lasting: HttpServer, mode: str) -> None:
    assistant = await _tools(lasting, "assistant", mode, "queue_status", {})
    relay = await _tools(lasting, "relay", mode, "claim_work", {"worker": "w", "wait_seconds": 0})
    agent = await _tools(lasting, "agent", mode, "remember", {"content": "I like tea", "chat_id": 42})
    assert len(assistant[0]) == 10
    assert relay[0] == assistant[0], "the tools for reminders are called by our own chats and listed to nobody"
    assert agent[0] == {"claim_work", "extend_work", "submit_work", "fail_work", "queue_status"}
    for _, refused in (assistant, relay, agent):
        assert refused.is_error
        assert "no tool" in refused.content[0].text


async def _tools(server: HttpServer, scope: str, mode: str, foreign: str, arguments: dict[str, Any]) -> Any:
    async with (
        httpx2.AsyncClient(headers=server.headers(scope)) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
    ):
        listed = {tool.name for tool in (await client.list_tools()).tools}
        return listed, await client.call_tool(foreign, arguments)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_erasure_reports_its_progress_and_no_list_is_said_to_change(lasting: HttpServer, mode: str) -> None:
    reported: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total, message))

    async with (
        httpx2.AsyncClient(headers=lasting.headers()) as http,
        Client(streamable_http_client(lasting.url, http_client=http), mode=mode) as client,
    ):
        for number in range(3):
            said = {"role": "user", "content": f"The {mode} zeppelin {number} landed", "message_id": f"{mode}{number}"}
            await client.call_tool("record_message", said)
        asked = {"literal": f"{mode} zeppelin"}
        preview = (await client.call_tool("forget", asked)).structured_content
        erased = await client.call_tool("forget", {**asked, "confirm": preview["confirm"]}, progress_callback=report)
        declared = client.server_capabilities
    assert erased.structured_content["traces_left"] == 0
    done = [progress for progress, _, _ in reported]
    assert done == sorted(set(done))
    assert reported[0][2] == "Erasing messages."
    assert reported[-1][:2] == (len(preview["matches"]) + 2,) * 2
    assert declared is not None
    lists = (declared.tools, declared.resources, declared.prompts)
    assert [each.list_changed for each in lists if each is not None] == [False] * 3
    assert declared.resources is not None
    assert declared.resources.subscribe is (mode != "legacy")


async def test_an_error_inside_the_block_of_a_connection_arrives_outside_as_itself(lasting: HttpServer) -> None:
    with pytest.raises(MemoryRefused):
        async with connect_http(lasting.url, lasting.token(), name="an-agent") as client:
            await client.explain(c.ExplainArgs(memory_id=999_999))
    with pytest.raises(ExceptionGroup):
        async with connect_http(lasting.url, lasting.token()):
            raise ExceptionGroup("two", [ValueError("first"), ValueError("second")])


async def test_a_client_survives_a_killed_server_which_loses_nothing_that_it_acknowledged(
    http_process: HttpServer,
) -> None:
    said = [f"Kayak number {number} is mine." for number in range(5)]
    async with connect_http(http_process.url, http_process.token()) as client:
        await client.remember(c.RememberArgs(content="I prefer window seats"))
        await client.get_context(c.GetContextArgs())
        for text in said:
            await client.record_message(c.RecordMessageArgs(role="user", content=text))
        assert http_process.process is not None
        http_process.process.kill()
        await http_process.process.wait()
        with pytest.raises(MemoryUnreachable):
            await client.get_profile(c.GetProfileArgs())
        await http_process.start()
        profile = await client.get_profile(c.GetProfileArgs())
        window = (await client.get_context(c.GetContextArgs())).context or ""
    assert [m.content for m in profile.facts] == ["I prefer window seats"]
    places = [window.find(text) for text in said]
    assert -1 not in places
    assert places == sorted(places)


async def test_a_call_made_while_the_server_restarts_is_answered_by_the_new_one(http_process: HttpServer) -> None:
    async with connect_http(http_process.url, http_process.token(), attempts=12) as client:
        await client.get_profile(c.GetProfileArgs())
        await http_process.stop()
        call = asyncio.create_task(client.get_profile(c.GetProfileArgs()))
        await http_process.start()
        assert (await call).version >= 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_http_ends_in_time_although_a_subscription_stream_is_open(
    http_process: HttpServer, number: signal.Signals
) -> None:
    listen = request("subscriptions/listen", notifications={"resourceSubscriptions": ["memory://profile"]})
    headers = {**wire_headers("subscriptions/listen"), **http_process.headers()}
    async with (
        httpx2.AsyncClient(timeout=20) as http,
        http.stream("POST", http_process.url, json=listen, headers=headers) as s,
    ):
        assert s.status_code == 200
        chunks = s.aiter_raw()
        assert b"subscriptions/acknowledged" in await anext(chunks)
        started = time.perf_counter()
        code = await http_process.stop(number)
        took = time.perf_counter() - started
        rest = b"".join([chunk async for chunk in chunks])
    print(f"{number.name} with an open stream: {took:.2f} s, exit code {code}")
    assert took < promised(6)
    assert code == 0
    assert b'"result"' in rest, "the stream ends as the protocol wants: with a result"


async def test_a_stop_while_a_client_of_the_older_protocol_listens_is_no_error(tmp_path: Path, dsn: str) -> None:
    log = tmp_path / "server.log"
    async with http_server(tmp_path / "http", dsn, log) as server, httpx2.AsyncClient(timeout=20) as http:
        headers = {**server.headers(), "Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        async with http.stream("GET", server.url, headers=headers) as stream:
            assert stream.status_code == 200
            assert await server.stop(signal.SIGINT) == 0
            assert [chunk async for chunk in stream.aiter_raw()] == []
    assert "ERROR" not in log.read_text()


async def test_keep_alive_posts_do_not_wait_for_nagle(lasting: HttpServer) -> None:
    """Delayed TCP acknowledgments would add 40 ms to each call, except the first calls of a connection."""
    body = request("tools/call", name="get_profile", arguments={})
    headers = {**wire_headers("tools/call", "get_profile"), **lasting.headers()}
    took: list[float] = []
    async with httpx2.AsyncClient(headers=headers) as http:
        while len(took) < MOST_CALLS and min(took[FIRST_CALLS:], default=1) > UNDELAYED_SECONDS:
            started = time.perf_counter()
            answer = await http.post(lasting.url, json=body)
            took.append(time.perf_counter() - started)
            assert answer.status_code == 200
    fastest = min(took[FIRST_CALLS:])
    print(f"keep-alive tools/call get_profile: {fastest * 1000:.2f} ms, the fastest of {len(took) - FIRST_CALLS}")
    assert fastest < UNDELAYED_SECONDS


async def test_stdio_lists_its_tools_soon_after_the_process_starts(tmp_path: Path, dsn: str) -> None:
    took: list[float] = []
    soon = False
    while len(took) < FIRST_LIST_ATTEMPTS and not soon:
        limit = promised(FIRST_LIST_SECONDS)
        took.append(await _first_list(tmp_path / "data", dsn))
        soon = took[-1] < max(limit, promised(FIRST_LIST_SECONDS))
    print("stdio, start to tools/list: " + ", ".join(f"{seconds:.2f}" for seconds in took) + " s")
    assert soon


async def _first_list(data_dir: Path, dsn: str) -> float:
    started = time.perf_counter()
    process = await cold_stdio_server(data_dir, dsn)
    answer = await ask(process, request("tools/list"))
    took = time.perf_counter() - started
    assert len(answer["result"]["tools"]) == 10
    await close(process)
    return took


async def ask(process: Process, message: dict[str, Any]) -> dict[str, Any]:
    """Send one request and return its answer."""
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()
    with anyio.fail_after(HANGS):
        return await answer_to(process, message["id"])


async def answer_to(process: Process, number: int) -> dict[str, Any]:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        message = json.loads(line)
        if message.get("id") == number:
            return message
    raise AssertionError("the server closed its end")


async def close(process: Process, seconds: float = END_SECONDS) -> int:
    assert process.stdin is not None
    process.stdin.close()
    return await exit_code(process, seconds)


@pytest.mark.parametrize(
    ("how", "era"), [("EOF", "modern"), ("EOF", "legacy"), ("SIGTERM", "legacy"), ("SIGINT", "modern")]
)
async def test_stdio_ends_in_time_with_exit_code_zero(tmp_path: Path, dsn: str, how: str, era: str) -> None:
    process = await stdio_server(tmp_path / "data", dsn)
    hello = request("tools/list") if era == "modern" else LEGACY_HELLO
    assert "result" in await ask(process, hello)
    started = time.perf_counter()
    code = await (close(process) if how == "EOF" else end(process, signal.Signals[how], END_SECONDS))
    print(f"stdio {era} {how}: ended after {time.perf_counter() - started:.2f} s")
    assert code == 0


@pytest.fixture
def embedded_dir(tmp_path: Path) -> Iterator[Path]:
    """A data folder. Its embedded cluster is removed after the test, even if the cluster is elsewhere or incomplete."""
    folder = tmp_path / "data"
    yield folder
    cluster = EmbeddedPostgres(folder / "postgres").cluster
    for made in (cluster, cluster.with_name(f"{cluster.name}.new")):
        shutil.rmtree(made, ignore_errors=True)


@pytest.mark.parametrize("how", ["EOF", "SIGTERM"])
async def test_stdio_ends_in_time_while_storage_still_opens(embedded_dir: Path, how: str) -> None:
    process = await stdio_server(embedded_dir, None)
    assert "result" in await ask(process, request("tools/list"))
    code = await (close(process, 20) if how == "EOF" else end(process, signal.SIGTERM, 20))
    assert code == 0
    assert not _cluster_runs(embedded_dir)


async def test_stdio_stops_its_embedded_database_when_it_ends(embedded_dir: Path) -> None:
    for how in ("EOF", "SIGTERM", "SIGINT"):
        process = await stdio_server(embedded_dir, None)
        remembered = await ask(process, call_of("remember", content=f"I like green tea after {how}"))
        assert not remembered["result"]["isError"]
        assert _cluster_runs(embedded_dir)
        started = time.perf_counter()
        code = await (close(process, 15) if how == "EOF" else end(process, signal.Signals[how], 15))
        took = time.perf_counter() - started
        print(f"stdio with embedded PostgreSQL, {how}: ended after {took:.2f} s")
        assert code == 0
        assert took < promised(END_SECONDS)
        assert not _cluster_runs(embedded_dir)


def call_of(tool: str, number: int = 2, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", number, name=tool, arguments=arguments)


def _cluster_runs(data_dir: Path) -> bool:
    return postmaster(EmbeddedPostgres(data_dir / "postgres").cluster) is not None


async def test_a_client_over_stdio_of_another_user_ends_nobodys_token(http_process: HttpServer, dsn: str) -> None:
    token = http_process.token()
    process = await stdio_server(http_process.data_dir, dsn, TELEGRAM_USER_ID="7")
    remembered = await ask(process, call_of("remember", content="I like green tea"))
    await close(process, 15)
    assert not remembered["result"]["isError"]
    assert http_process.token() == token
    async with connect_http(http_process.url, token) as client:
        assert (await client.get_profile(c.GetProfileArgs())).facts == ()


async def test_a_server_started_for_nobody_names_the_user_whose_memory_it_does_not_show(
    tmp_path: Path, dsn: str
) -> None:
    process = await stdio_server(tmp_path / "data", dsn, TELEGRAM_USER_ID="7")
    await ask(process, call_of("remember", content="I like green tea"))
    await close(process, 15)
    process = await stdio_server(tmp_path / "data", dsn, TELEGRAM_USER_ID="")

    async def naming_the_user() -> dict[str, Any] | None:
        told = (await ask(process, call_of("get_context")))["result"]["structuredContent"]
        return told if any("belongs to user 7" in notice for notice in told["notices"]) else None

    told = await until(naming_the_user)
    await close(process, 15)
    assert "green tea" not in json.dumps(told)


async def test_stdio_does_not_lose_a_call_that_is_answered_as_its_input_ends(tmp_path: Path, dsn: str) -> None:
    (tmp_path / "data").mkdir()
    # The server starts in this folder, but it does not read a project's settings. These settings would stop the server.
    (tmp_path / "data" / ".env").write_text("TELLONCE_PORT=nowhere\nCHATMEM_EMBEDDINGS=nothing\n")
    process = await stdio_server(tmp_path / "data", dsn)
    assert process.stdin is not None
    process.stdin.write(json.dumps(call_of("remember", content="I like green tea")).encode() + b"\n")
    await process.stdin.drain()
    with anyio.fail_after(HANGS):
        answer = await answer_to(process, 2)
    assert await close(process) == 0
    assert answer["result"]["structuredContent"]["outcome"] == "stored"


async def test_stdio_imports_nothing_heavy_before_it_answers() -> None:
    code = "import sys, tellonce_server.app.stdio; print(' '.join(sys.modules))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    loaded = {name.partition(".")[0] for name in out.decode().split()}
    assert process.returncode == 0
    assert not loaded & {"onnxruntime", "onnx", "numpy", "anthropic", "telegram", "ollama", "safetensors"}


NEVER_OPENED = (
    "import sys; sys.modules['tellonce_server.app.bootstrap'] = None; sys.argv[1:] = ['--stdio']; "
    "from tellonce_server.__main__ import main; main()"
)
"""A server that never opens its memory, because opening it loads numpy at an unpredictable time."""


async def test_a_process_that_serves_stdio_has_loaded_nothing_heavy(tmp_path: Path, dsn: str) -> None:
    """The mapped libraries show which modules a server has imported before it opens the memory."""
    process = await cold_stdio_server(tmp_path / "data", dsn, program=("-c", NEVER_OPENED))
    assert "result" in await ask(process, request("tools/list"))
    mapped = Path(f"/proc/{process.pid}/maps")
    if mapped.exists():
        text = mapped.read_text()
        assert "onnxruntime" not in text
        assert "numpy" not in text
    assert await close(process) == 0


async def test_the_relay_must_name_a_chat(lasting: HttpServer) -> None:
    async with connect_http(lasting.url, lasting.token("relay")) as client:
        with pytest.raises(MemoryRefused, match="Name a chat_id"):
            await client.get_profile(c.GetProfileArgs())
