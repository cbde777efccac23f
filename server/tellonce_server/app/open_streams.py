"""Tracks the open subscription streams, so that the server can end them."""

from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.types import SubscriptionsListenResult

LISTEN = "subscriptions/listen"


class OpenStreams:
    """Middleware that registers streams. After `close`, each stream ends with a result, as the protocol requires."""

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
