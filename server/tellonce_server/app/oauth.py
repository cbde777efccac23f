"""Accepts access tokens (JWT) of an OAuth issuer, as a resource server. The server neither issues nor stores these
tokens.

The settings name the admitted subjects and the user of each subject. A token acts for this user. The server uses only
the scope `assistant` and ignores the other scopes of a token.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

import httpx2
import jwt
from mcp.server.auth.provider import AccessToken

from tellonce.settings import Remote

SCOPE = "assistant"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""The accepted algorithms. All are asymmetric: with a shared secret (HS…), every verifier could issue tokens."""

CLOCK_SKEW_SECONDS = 30
REFRESH_SECONDS = 30.0
"""Minimum seconds between two fetches. Otherwise anybody could cause many fetches with unknown key ids."""

KEY_LIFE_SECONDS = 3600.0
FETCH_SECONDS = 5.0

logger = logging.getLogger(__name__)


class SigningKeys:
    """The issuer's public keys by id, fetched when needed."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, key_id: str) -> jwt.PyJWK | None:
        async with self._lock:
            known = key_id in self._keys and self._clock() - self._fetched < KEY_LIFE_SECONDS
            if not known and self._clock() - self._tried >= REFRESH_SECONDS:
                self._tried = self._clock()
                await self._fetch()
        return self._keys.get(key_id)

    async def _fetch(self) -> None:
        """If the issuer cannot be reached, the old keys stay."""
        try:
            async with httpx2.AsyncClient(timeout=FETCH_SECONDS) as http:
                answer = (await http.get(self._url)).raise_for_status().json()
            keys = jwt.PyJWKSet.from_dict(answer).keys
        except (httpx2.HTTPError, ValueError, AttributeError, jwt.PyJWTError) as error:
            logger.warning("the issuer's keys could not be read from %s: %s", self._url, type(error).__name__)
            return
        self._keys = {key.key_id: key for key in keys if key.key_id}
        self._fetched = self._clock()


class JwtVerifier:
    """Admits a token if its signature, issuer, audience, times and subject are right."""

    def __init__(self, remote: Remote, keys: SigningKeys) -> None:
        self._remote = remote
        self._keys = keys
        self._users = remote.users

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            claims = await self._claims(token)
        except jwt.PyJWTError as error:
            logger.info("a token was refused: %s", type(error).__name__)
            return None
        user = self._users.get(claims["sub"]) if claims is not None else None
        if claims is None or user is None:
            return None
        return AccessToken(
            token=token,
            client_id=f"oauth:{claims['sub']}",
            scopes=[scope for scope in scopes_of(claims) if scope == SCOPE],
            subject=str(user),
            expires_at=int(claims["exp"]),
        )

    async def _claims(self, token: str) -> dict[str, Any] | None:
        header = jwt.get_unverified_header(token)
        key = await self._keys.find(str(header.get("kid", "")))
        if key is None or header.get("alg") not in ALGORITHMS:
            return None
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            audience=self._remote.url,
            issuer=self._remote.issuer,
            leeway=CLOCK_SKEW_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims


def scopes_of(claims: dict[str, Any]) -> list[str]:
    """The words in the string `scope` of a token (RFC 9068). Some issuers use `scp` instead."""
    value = claims.get("scope", claims.get("scp", ""))
    words = value.split() if isinstance(value, str) else value
    return [str(word) for word in words] if isinstance(words, list) else []


def is_jwt(token: str) -> bool:
    """Whether the token is a JWT; our own tokens contain no dot."""
    return token.count(".") == 2
