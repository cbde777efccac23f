"""What a client is shown whose hooks record and recall by themselves: no tool for that, and instructions that say so."""

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from tellonce.contract import GET_CONTEXT, RECORD_MESSAGE
from tellonce_server.api.instructions import HOOKED_INSTRUCTIONS

HEADER = "tellonce-hooks"
DONE_BY_HOOKS = (GET_CONTEXT, RECORD_MESSAGE)


async def show_hooked(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware. Otherwise a model that follows the usual instructions would store every message twice."""
    result = await call_next(ctx)
    headers = getattr(ctx.request, "headers", {})
    # The SDK hands middleware the result as it goes over the wire.
    if headers.get(HEADER) != "on" or not isinstance(result, dict):
        return result
    if "instructions" in result:
        return {**result, "instructions": HOOKED_INSTRUCTIONS}
    if ctx.method == "tools/list":
        return {**result, "tools": [tool for tool in result["tools"] if tool["name"] not in DONE_BY_HOOKS]}
    return result
