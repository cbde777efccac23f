"""MCP middleware that selects what a client may see and call, and handles subscription streams."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

import anyio
from mcp import MCPError
from mcp.server.apps import client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.types import INVALID_PARAMS, SubscriptionsListenRequestParams, SubscriptionsListenResult
from pydantic import ValidationError

from tellonce_server.api.prompts import HOOKED_INSTRUCTIONS
from tellonce_server.api.strict_tool import CallerOf
from tellonce_server.core.subscriptions import WANTED

HEADER = "tellonce-hooks"
DONE_BY_HOOKS = ("get_context", "record_message")


async def show_hooked(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Hides the tools and instructions for recording from clients whose hooks record every message. Their model would
    record the messages a second time."""
    result = await call_next(ctx)
    headers = getattr(ctx.request, "headers", {})
    # The SDK passes the result to middleware as JSON data.
    if headers.get(HEADER) != "on" or not isinstance(result, dict):
        return result
    if "instructions" in result:
        return {**result, "instructions": HOOKED_INSTRUCTIONS}
    if ctx.method == "tools/list":
        return {**result, "tools": [tool for tool in result["tools"] if tool["name"] not in DONE_BY_HOOKS]}
    return result


LIST_TOOLS = "tools/list"


class AppOnly:
    """Hides the page's tools from clients without MCP Apps, which would show them to their model."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method != LIST_TOOLS or not isinstance(result, dict) or client_supports_apps(ctx):
            return result
        return {**result, "tools": [tool for tool in result["tools"] if tool["name"] not in self._names]}


OFFERED = ("prompts/get", "resources/read", "completion/complete")
LISTED = {"prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}


class OfferedTo:
    """Offers prompts, resources and completions only to callers with one of the given scopes."""

    def __init__(self, scopes: frozenset[str], caller_of: CallerOf) -> None:
        self._scopes = scopes
        self._caller_of = caller_of

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if self._scopes & self._caller_of().scopes:
            return await call_next(ctx)
        if ctx.method in OFFERED:
            raise MCPError(
                INVALID_PARAMS, "This credential has no prompts and no resources; tools/list names its tools."
            )
        result = await call_next(ctx)
        hidden = LISTED.get(ctx.method)
        return {**result, hidden: []} if hidden is not None and isinstance(result, dict) else result


LISTEN = "subscriptions/listen"


async def wanted_resources(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware for requests that open a stream. It passes the requested URIs to the subscription bus."""
    if ctx.method == LISTEN:
        with suppress(ValidationError):  # the SDK refuses a request with invalid parameters
            asked = SubscriptionsListenRequestParams.model_validate(ctx.params)
            WANTED.set(asked.notifications.resource_subscriptions or ())
    return await call_next(ctx)


class OpenStreams:
    """Keeps track of the open subscription streams. `close` ends each with a result, as MCP requires."""

    def __init__(self) -> None:
        self._open: set[anyio.CancelScope] = set()
        self._closed = False

    def close(self) -> None:
        self._closed = True
        for scope in self._open:
            scope.cancel()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method != LISTEN:
            return await call_next(ctx)
        with anyio.CancelScope() as scope:
            self._open.add(scope)
            if self._closed:
                scope.cancel()
            try:
                return await call_next(ctx)
            finally:
                self._open.discard(scope)
        return SubscriptionsListenResult(_meta={SUBSCRIPTION_ID_META_KEY: ctx.request_id})
