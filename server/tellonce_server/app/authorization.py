"""Rejects requests whose token has none of our scopes, exceeds its rate limit, or is no longer valid."""

import math
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tellonce.client import UNREACHABLE
from tellonce.server_text import ServerText, to_meta
from tellonce_server.app.access_tokens import LOCAL, SCOPES
from tellonce_server.app.middleware import later
from tellonce_server.app.token_verifier import CachedToken
from tellonce_server.core.errors import DATABASE_ERRORS, TEMPORARY_FAILURES
from tellonce_server.core.limits import RateLimit


def authorized(app: ASGIApp, limit: RateLimit) -> ASGIApp:
    """ASGI middleware that checks scopes and the rate limit before the body is read. Our own processes have no limit,
    because one of their tokens serves every chat."""

    async def checking(scope: Scope, receive: Receive, send: Send) -> None:
        await (_refusal(scope.get("user"), limit) or app)(scope, receive, send)

    return checking


def _refusal(user: Any, limit: RateLimit) -> JSONResponse | None:
    if not isinstance(user, AuthenticatedUser):
        return None
    if not set(user.scopes) & set(SCOPES):
        text = "This token has none of this server's scopes; ask its issuer for the scope assistant."
        challenge = 'Bearer error="insufficient_scope", scope="assistant"'
        return _error(403, ServerText(text, "page_request"), {"WWW-Authenticate": challenge})
    name = user.access_token.client_id
    seconds = 0 if name.startswith(LOCAL) else math.ceil(limit.wait(name))
    if not seconds:
        return None
    text = f"Too many requests with this credential; try again in {seconds} s."
    return _error(429, ServerText(text, "too_many", n=seconds), {"Retry-After": str(seconds)})


def confirmed(app: ASGIApp) -> ASGIApp:
    """ASGI middleware that sends a response only after the credential was confirmed."""

    async def confirming(scope: Scope, receive: Receive, send: Send) -> None:
        token = getattr(scope.get("user"), "access_token", None)
        if not isinstance(token, CachedToken):
            await app(scope, receive, send)
            return
        refused: JSONResponse | None = None

        async def sending(message: Message) -> None:
            nonlocal refused
            if refused is not None:
                return
            if message["type"] == "http.response.start":
                refused = await _refused(token)
            await (send(message) if refused is None else refused(scope, receive, send))

        await app(scope, receive, sending)

    return confirming


async def _refused(token: CachedToken) -> JSONResponse | None:
    """The error response, or None if the token is valid."""
    try:
        return None if await token.still_valid else _unknown()
    except TEMPORARY_FAILURES as failure:
        return later(DATABASE_ERRORS.noted(failure), None)


def _unknown() -> JSONResponse:
    error: dict[str, Any] = {"error": "invalid_token", "error_description": "Authentication required"}
    challenge = 'Bearer error="invalid_token", error_description="Authentication required"'
    return JSONResponse(error, status_code=401, headers={"WWW-Authenticate": challenge})


def _error(status: int, text: ServerText, headers: dict[str, str]) -> JSONResponse:
    """An error in JSON-RPC's form, so that an MCP client shows the message."""
    error = {"code": UNREACHABLE, "message": text, "data": to_meta([text])}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=status, headers=headers)
