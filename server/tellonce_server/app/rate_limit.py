"""What an authenticated request must pass before anything is read of it: a scope of ours, and the credential's rate."""

import math
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tellonce_server.app.auth import LOCAL, SCOPES

BURST_SECONDS = 10
"""A credential that was quiet may send what it could have sent in this time at once."""

MOST_BUCKETS = 10_000


@dataclass
class _Bucket:
    tokens: float
    filled_at: float


class RateLimit:
    """A token bucket for each credential. `rate` is in requests a second; 0 turns it off."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = rate * BURST_SECONDS
        self._clock = clock
        self._buckets: MutableMapping[str, _Bucket] = {}

    def wait(self, credential: str) -> float:
        """Takes one request's token; 0, or the seconds until there is one."""
        if not self._rate:
            return 0
        now = self._clock()
        bucket = self._buckets.get(credential) or self._new(credential, now)
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled_at) * self._rate)
        bucket.filled_at = now
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return 0
        return (1 - bucket.tokens) / self._rate

    def _new(self, credential: str, now: float) -> _Bucket:
        if len(self._buckets) >= MOST_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        return self._buckets.setdefault(credential, _Bucket(self._burst, now))


class Admission:
    """ASGI middleware behind authentication. The processes beside the server (`local-…`) serve every chat with one
    credential each, so no rate is put on them."""

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
    text = "This token has no scope of this server; ask its issuer for the scope assistant."
    return JSONResponse(_error(text), status_code=403, headers={"WWW-Authenticate": challenge})


def _too_many(seconds: float) -> JSONResponse:
    whole = math.ceil(seconds)
    text = f"Too many requests with this credential; try again in {whole} s."
    return JSONResponse(_error(text), status_code=429, headers={"Retry-After": str(whole)})


def _error(text: str) -> dict[str, Any]:
    """In JSON-RPC's form, so that an MCP client shows the sentence."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": text}}
