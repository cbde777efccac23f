"""What clients with hooks are shown. They record and recall by themselves, so their instructions say so and tools for
it are hidden."""

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from tellonce.contract import GET_CONTEXT, RECORD_MESSAGE
from tellonce_server.api.instructions import HOOKED_INSTRUCTIONS

HEADER = "tellonce-hooks"
DONE_BY_HOOKS = (GET_CONTEXT, RECORD_MESSAGE)


async def show_hooked(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware. With the usual instructions, the model would store every message a second time."""
    result = await call_next(ctx)
    headers = getattr(ctx.request, "headers", {})
    # The SDK gives middleware the result in its wire form.
    if headers.get(HEADER) != "on" or not isinstance(result, dict):
        return result
    if "instructions" in result:
        return {**result, "instructions": HOOKED_INSTRUCTIONS}
    if ctx.method == "tools/list":
        return {**result, "tools": [tool for tool in result["tools"] if tool["name"] not in DONE_BY_HOOKS]}
    return result
