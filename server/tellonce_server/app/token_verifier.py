"""Looks up a bearer token while the call that uses the token is already running.

A call may begin with a cached grant, but is answered only if the grant is still valid. So a token that was revoked
before the call can neither read nor write.
"""

import asyncio
from typing import Any, Final

from mcp.server.auth.provider import AccessToken
from pydantic import ConfigDict, Field

from tellonce_server.app.access_tokens import digest, granted
from tellonce_server.core.errors import TEMPORARY_FAILURES
from tellonce_server.store import tokens
from tellonce_server.store.database import Database
from tellonce_server.store.tokens import Grant

MOST_KNOWN: Final = 1_000
"""Maximum number of cached grants. A call without a cached grant waits until its token has been looked up."""


class CachedToken(AccessToken):
    """A token with a cached grant. The task `still_valid` asks the database whether the grant is still valid."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    still_valid: asyncio.Task[bool] = Field(exclude=True, repr=False)


class TokenVerifier:
    """Looks up tokens by their hash, so that the duration of a lookup reveals nothing about a token. Calls that arrive
    during a lookup share the next lookup."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known: dict[bytes, Grant] = {}
        self._wanted: list[bytes] = []
        self._next: asyncio.Task[dict[bytes, Grant]] | None = None
        self._lookup = asyncio.Lock()

    async def verify_token(self, token: str) -> AccessToken | None:
        return await self.access(token, digest(token))

    async def access(self, token: str, key: bytes) -> AccessToken | None:
        """The access of the token with the hash `key`, or None. `token` is the text in the request."""
        known = self._known.get(key)
        if known is None:
            grant = await self._grant(key)
            return granted(token, grant) if grant is not None else None
        still_valid = asyncio.create_task(self._still(key, known))
        still_valid.add_done_callback(_seen)
        return CachedToken(**granted(token, known).model_dump(), still_valid=still_valid)

    async def _still(self, key: bytes, known: Grant) -> bool:
        return await self._grant(key) == known

    async def _grant(self, key: bytes) -> Grant | None:
        """The query starts after this call, so an earlier revocation is seen."""
        self._wanted.append(key)
        if self._next is None:
            self._next = asyncio.create_task(self._look_up())
            self._next.add_done_callback(_seen)
        return (await asyncio.shield(self._next)).get(key)

    async def _look_up(self) -> dict[bytes, Grant]:
        async with self._lookup:
            keys, self._wanted, self._next = self._wanted, [], None
            grants = await tokens.find(self.database, keys)
        for key in keys:
            self._remember(key, grants.get(key))
        return grants

    def _remember(self, key: bytes, grant: Grant | None) -> None:
        self._known.pop(key, None)
        if grant is not None:
            self._known[key] = grant
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]


def _seen(task: "asyncio.Task[Any]") -> None:
    """Retrieve the exception, because asyncio logs an exception that nobody retrieves."""
    if not task.cancelled():
        task.exception()


async def is_still_valid(token: AccessToken | None) -> bool:
    """Whether a verified token is still valid. Check this before any write. False if the database cannot be reached."""
    try:
        return not isinstance(token, CachedToken) or await token.still_valid
    except TEMPORARY_FAILURES:
        return False
