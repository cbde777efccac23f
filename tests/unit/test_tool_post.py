"""How our client reads the answers to a tool call over HTTP."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from mcp import MCPError
from mcp.types import Implementation

from tellonce.connect import PROTOCOL
from tellonce.tool_post import ToolPost

pytestmark = pytest.mark.anyio

RESULT = {"content": [], "structuredContent": {"tea": 1}, "isError": False, "resultType": "complete"}


async def called(answer: Callable[[httpx2.Request], httpx2.Response | Any], seconds: float = 5) -> Any:
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
        post = ToolPost(http, "http://memory/mcp", PROTOCOL, seconds, Implementation(name="kettle", version="1"))
        return await post("look_up", {"word": "tea"})


def result_of(request: httpx2.Request, **changed: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(request.content)["id"], "result": RESULT, **changed})


async def test_a_call_names_its_tool_its_client_and_the_version_of_the_protocol() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, text=result_of(request), headers={"content-type": "application/json"})

    assert (await called(answer)).structured_content == {"tea": 1}
    (request,) = seen
    named = {name: request.headers[f"mcp-{name}"] for name in ("method", "name", "protocol-version")}
    assert named == {"method": "tools/call", "name": "look_up", "protocol-version": PROTOCOL}
    params = json.loads(request.content)["params"]
    assert params["arguments"] == {"word": "tea"}
    assert params["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] == "kettle"
    assert params["_meta"]["io.modelcontextprotocol/protocolVersion"] == PROTOCOL


async def test_the_last_event_of_a_stream_is_the_answer() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        progress = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}})
        events = f": ping\r\n\r\nevent: message\r\ndata: {progress}\r\n\r\ndata: {result_of(request)}\r\n\r\n"
        return httpx2.Response(200, text=events, headers={"content-type": "text/event-stream"})

    assert (await called(answer)).structured_content == {"tea": 1}


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (503, '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "The database is away."}}', "away"),
        (200, "<html>", "answered 200 without JSON"),
        (307, "", "answered 307 without JSON"),
        (200, '{"jsonrpc": "2.0", "id": 1, "result": {"content": 7}}', "not a result"),
        (200, "[]", "without JSON"),
    ],
)
async def test_an_answer_without_a_result_is_an_error_that_says_why(status: int, body: str, said: str) -> None:
    with pytest.raises(MCPError, match=said):
        await called(lambda _: httpx2.Response(status, text=body, headers={"content-type": "application/json"}))


async def test_a_lost_or_late_answer_is_an_error_that_says_so() -> None:
    def lost(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadError("broken")

    async def late(_: httpx2.Request) -> httpx2.Response:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(MCPError, match="lost"):
        await called(lost)
    with pytest.raises(MCPError, match=r"no answer within 0\.01 s"):
        await called(late, seconds=0.01)
