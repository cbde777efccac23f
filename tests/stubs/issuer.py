"""An OAuth issuer on loopback. It publishes its keys over HTTP and signs tokens as a test requires."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.stubs.loopback import served

ISSUER = "https://issuer.example"
AUDIENCE = "https://memory.example/mcp"


class Issuer:
    """An issuer. `keys` are its published keys. It can also sign a token with an unpublished key."""

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {}
        self.fetched = 0
        self.down = False
        self.url = ""

    def rsa_key(self, key_id: str) -> Any:
        self.keys[key_id] = key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        return key

    def ec_key(self, key_id: str) -> Any:
        self.keys[key_id] = key = ec.generate_private_key(ec.SECP256R1())
        return key

    def token(self, key_id: str, key: Any = None, algorithm: str | None = None, **claims: Any) -> str:
        """A token for the subject `ann`. `claims` replaces claims of this valid token; a claim with the value None is
        left out."""
        key = key if key is not None else self.keys[key_id]
        chosen = algorithm or ("RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256")
        now = int(time.time())
        good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + 600, "scope": "assistant openid"}
        payload = {name: value for name, value in {**good, **claims}.items() if value is not None}
        return jwt.encode(payload, key, chosen, headers={"kid": key_id})

    async def key_set(self, _: Request) -> Response:
        self.fetched += 1
        if self.down:
            return Response(status_code=503)
        return JSONResponse({"keys": [_public(key_id, key) for key_id, key in self.keys.items()]})


def _public(key_id: str, key: Any) -> dict[str, Any]:
    algorithm = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    return {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": key_id, "use": "sig"}


@asynccontextmanager
async def issuer() -> AsyncGenerator[Issuer]:
    one = Issuer()
    async with served(Starlette(routes=[Route("/keys", one.key_set)])) as base:
        one.url = f"{base}/keys"
        yield one
