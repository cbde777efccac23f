"""Connects a memory client by URL or by command. Over HTTP, the client keeps working after the server restarts."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import Distribution, PackageNotFoundError, distribution

import httpx2
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.session import DEFAULT_CLIENT_INFO
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from tellonce.backoff import backoff
from tellonce.client import UNREACHABLE, CallTool, MemoryClient
from tellonce.tool_post import ToolPost

PROTOCOL = "2026-07-28"
"""The version of MCP that has no sessions, so calls still work after the server restarts."""

CONNECT_ATTEMPTS = 4
CALL_SECONDS = 90.0

UNAUTHORIZED = 401
UNKNOWN_TOKEN = "the memory server rejects our access token, which may belong to another data folder"


@asynccontextmanager
async def connect_http(
    url: str, token: str, *, attempts: int = CONNECT_ATTEMPTS, name: str | None = None
) -> AsyncGenerator[MemoryClient]:
    """A client of the server at `url`, named `name`. Entering the block does no I/O. A missing server causes an error
    only at the first call. The name is the channel of the client's messages."""
    transport = Resilient(httpx2.AsyncHTTPTransport(limits=httpx2.Limits(keepalive_expiry=30)), attempts)
    headers = {"Authorization": f"Bearer {token}"}
    timeout = httpx2.Timeout(CALL_SECONDS, connect=5)
    async with httpx2.AsyncClient(transport=transport, headers=headers, timeout=timeout) as http:
        info = _info(name) or DEFAULT_CLIENT_INFO
        client = Client(
            streamable_http_client(url, http_client=http),
            mode=PROTOCOL,
            read_timeout_seconds=CALL_SECONDS,
            client_info=info,
        )
        async with connected(client, ToolPost(http, url, PROTOCOL, CALL_SECONDS, info)) as memory:
            yield memory


@asynccontextmanager
async def connect_stdio(
    command: str, args: list[str], env: dict[str, str] | None = None, *, name: str | None = None
) -> AsyncGenerator[MemoryClient]:
    """A client named `name`. The server of this client runs as a child process, started with `command` and `args`."""
    parameters = StdioServerParameters(command=command, args=args, env=env)
    async with connected(Client(parameters, mode=PROTOCOL, client_info=_info(name))) as memory:
        yield memory


@asynccontextmanager
async def connected(client: Client, call: CallTool | None = None) -> AsyncGenerator[MemoryClient]:
    """A client that is connected while the block runs. `call` calls tools. By default, the MCP client does. The MCP
    library wraps an error of the block in exception groups. A single error is raised without these groups."""
    try:
        async with client:
            yield MemoryClient(client, call)
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if isinstance(error, BaseExceptionGroup):
            raise
        raise error from None


def _info(name: str | None) -> Implementation | None:
    return Implementation(name=name, version=installed_version()) if name is not None else None


def installed() -> Distribution:
    """The installed distribution, `tellonce` or `tellonce-light`."""
    try:
        return distribution("tellonce")
    except PackageNotFoundError:
        return distribution("tellonce-light")


def installed_version() -> str:
    """The version of the installed distribution."""
    return installed().version


class Resilient(httpx2.AsyncBaseTransport):
    """Turns a failed request into a JSON-RPC error, because an exception would end the whole MCP client instead of one
    call. A request is sent again only if it was never delivered."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, attempts: int) -> None:
        self._inner = inner
        self._attempts = attempts

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        reason = ""
        for attempt in range(self._attempts):
            try:
                return await _whole(await self._inner.handle_async_request(request), request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                reason = f"the memory server cannot be reached ({error})"
                await asyncio.sleep(backoff(attempt + 1, first=0.1))
            except httpx2.TransportError as error:
                reason = f"the memory server's answer was lost ({error!r})"
                break
        return _error(request, 503, reason)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _whole(response: httpx2.Response, request: httpx2.Request) -> httpx2.Response:
    """Read all of a response that is not a stream, so that a broken connection raises an error here. An error response
    that is not JSON becomes a JSON-RPC error, so that the caller sees its text."""
    kind = response.headers.get("content-type", "")
    if response.status_code < 400 and kind.startswith("text/event-stream"):
        return response
    body = (await response.aread()).decode(errors="replace")
    if response.status_code == UNAUTHORIZED:
        return _error(request, response.status_code, UNKNOWN_TOKEN)
    if response.status_code < 400 or "json" in kind:
        return response
    return _error(request, response.status_code, f"the memory server answered {response.status_code}: {body[:200]}")


def _error(request: httpx2.Request, status: int, reason: str) -> httpx2.Response:
    answer = {"jsonrpc": "2.0", "id": _request_id(request), "error": {"code": UNREACHABLE, "message": reason}}
    return httpx2.Response(status, json=answer, request=request)


def _request_id(request: httpx2.Request) -> object:
    try:
        return json.loads(request.content).get("id")
    except (ValueError, AttributeError, httpx2.RequestNotRead):
        return None
