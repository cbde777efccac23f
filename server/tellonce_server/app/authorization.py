"""Rejects authenticated requests that have none of our scopes or exceed the rate limit of their credential, before
their body is read."""

import math
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tellonce.server_text import ServerText, to_meta
from tellonce_server.app.auth import LOCAL, SCOPES
from tellonce_server.core.rate_limit import RateLimit


class Authorization:
    """ASGI middleware that runs after authentication. Our processes on this machine (tokens named `local-…`) have no
    rate limit, because one token of theirs serves every chat."""

    def __init__(self, app: ASGIApp, limit: RateLimit) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope.get("user"))
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, user: Any) -> JSONResponse | None:
        if not isinstance(user, AuthenticatedUser):
            return None
        if not set(user.scopes) & set(SCOPES):
            return _no_scope()
        name = user.access_token.client_id
        seconds = 0 if name.startswith(LOCAL) else self._limit.wait(name)
        return _too_many(seconds) if seconds else None


def _no_scope() -> JSONResponse:
    challenge = 'Bearer error="insufficient_scope", scope="assistant"'
    text = ServerText(
        "This token has none of this server's scopes; ask its issuer for the scope assistant.", "page_request"
    )
    return JSONResponse(_error(text), status_code=403, headers={"WWW-Authenticate": challenge})


def _too_many(seconds: float) -> JSONResponse:
    whole = math.ceil(seconds)
    text = ServerText(f"Too many requests with this credential; try again in {whole} s.", "too_many", n=whole)
    return JSONResponse(_error(text), status_code=429, headers={"Retry-After": str(whole)})


def _error(text: ServerText) -> dict[str, Any]:
    """An error in JSON-RPC's form, so that an MCP client shows the message."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": text, "data": to_meta([text])}}
