"""Lists the page's tools only to the page itself and to hosts that hide them from their model."""

from collections.abc import Collection
from typing import Any

from mcp.server.apps import client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

LIST = "tools/list"


class AppOnly:
    """Middleware that hides the page's tools from clients without MCP Apps, which would show them to their model."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method != LIST or not isinstance(result, dict) or client_supports_apps(ctx):
            return result
        return {**result, "tools": [tool for tool in result["tools"] if tool["name"] not in self._names]}
