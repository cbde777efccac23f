"""The credential alone identifies the caller. Tested with our own tokens, with an issuer's tokens, and with tokens that
must be refused."""

import asyncio
import base64
import gc
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, cast

import httpx2
import jwt
import pytest
from pydantic import ValidationError

from tellonce.settings import Remote, ServerSettings
from tellonce_server.api.middleware import OpenStreams
from tellonce_server.app.access_tokens import create_token, digest
from tellonce_server.app.http import build_http
from tellonce_server.app.oauth import KEY_LIFE_SECONDS, REFRESH_SECONDS, JwtVerifier, SigningKeys
from tellonce_server.app.storage import Storage
from tellonce_server.app.token_verifier import CachedToken, TokenVerifier
from tellonce_server.store import tokens
from tellonce_server.store.database import Database, as_login
from tellonce_server.store.tokens import Grant
from tests.memory_fixtures import Clock, Memory
from tests.server.wire import request, wire_headers
from tests.stubs.issuer import AUDIENCE, ISSUER, Issuer, issuer
from tests.stubs.loopback import served

pytestmark = pytest.mark.anyio

METADATA = "/.well-known/oauth-protected-resource/mcp"


@pytest.fixture
async def idp() -> AsyncIterator[Issuer]:
    async with issuer() as one:
        one.rsa_key("k1")
        yield one


def remote(idp: Issuer, **more: Any) -> Remote:
    given = {"url": AUDIENCE, "issuer": ISSUER, "jwks_url": idp.url, "subjects": "ann=42, ben=43", **more}
    return Remote.model_validate(given)


@asynccontextmanager
async def running(settings: ServerSettings, clock: Clock) -> AsyncGenerator[tuple[str, Storage]]:
    """Run the server over HTTP in this process. It has the same parts as in `tellonce serve`."""
    storage = Storage(settings, clock)
    app = build_http(settings, storage, OpenStreams())
    async with app.router.lifespan_context(app), served(app) as base:
        await storage.services()
        yield base, storage


async def call(base: str, token: str, tool: str = "get_profile", **arguments: Any) -> httpx2.Response:
    headers = {**wire_headers("tools/call", tool), "Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient() as http:
        return await http.post(
            f"{base}/mcp", json=request("tools/call", name=tool, arguments=arguments), headers=headers
        )


async def test_a_token_of_the_issuer_is_its_subjects_user_and_nothing_more(
    idp: Issuer, settings: ServerSettings, clock: Clock
) -> None:
    async with running(settings.model_copy(update={"remote": remote(idp)}), clock) as (base, _):
        ann, ben = idp.token("k1"), idp.token("k1", sub="ben")
        await call(base, ann, "remember", content="I keep bees on the roof")
        assert "bees" in (await call(base, ann)).text
        assert "bees" not in (await call(base, ben)).text
        others = await call(base, ann, "remember", content="I keep bees on the roof", chat_id=43)
        assert "Chat 43 is not yours" in others.text
        assert "There is no tool claim_work" in (await call(base, ann, "claim_work", worker="w")).text
        all_scopes = idp.token("k1", scope="assistant relay agent")
        assert "There is no tool claim_work" in (await call(base, all_scopes, "claim_work", worker="w")).text


async def test_what_is_no_good_token_is_answered_401_and_a_token_without_our_scope_403(
    idp: Issuer, settings: ServerSettings, clock: Clock
) -> None:
    now = int(time.time())
    stranger = Issuer().rsa_key("k1")
    shared = jwt.encode({"sub": "ann"}, "secret-of-at-least-thirty-two-bytes!", "HS256", headers={"kid": "k1"})
    bad = {
        "expired": idp.token("k1", exp=now - 120),
        "not yet valid": idp.token("k1", nbf=now + 600),
        "another audience": idp.token("k1", aud="https://elsewhere.example/mcp"),
        "no audience": idp.token("k1", aud=None),
        "another issuer": idp.token("k1", iss="https://evil.example"),
        "no end": idp.token("k1", exp=None),
        "no subject": idp.token("k1", sub=None),
        "a subject the settings do not name": idp.token("k1", sub="mallory"),
        "signed by a stranger": idp.token("k1", key=stranger),
        "unknown key": idp.token("k9", key=stranger),
        "a shared secret": shared,
        "the public key as shared secret": forged_with_public_key(idp),
        "no signature": unsigned(idp.token("k1")),
        "altered": altered(idp.token("k1")),
        "not a token": "a.b.c",
        "empty parts": "..",
    }
    async with running(settings.model_copy(update={"remote": remote(idp)}), clock) as (base, _):
        statuses = {name: (await call(base, token)).status_code for name, token in bad.items()}
        scopes = [
            await call(base, idp.token("k1", scope=scope)) for scope in (None, "openid", "agent", "relay", ["x"], "")
        ]
        listed = await call(base, idp.token("k1", scope=None, scp=["assistant"]))
    assert statuses == dict.fromkeys(bad, 401)
    assert [answer.status_code for answer in scopes] == [403] * len(scopes)
    assert 'error="insufficient_scope"' in scopes[0].headers["www-authenticate"]
    assert listed.status_code == 200


async def test_a_client_learns_where_to_get_a_token(idp: Issuer, settings: ServerSettings, clock: Clock) -> None:
    async with running(settings.model_copy(update={"remote": remote(idp)}), clock) as (base, _):
        refused = await call(base, "x" * 43)
        async with httpx2.AsyncClient() as http:
            metadata = (await http.get(f"{base}{METADATA}")).json()
            named = await http.get(f"{base}{METADATA}", headers={"Host": "memory.example"})
    assert refused.status_code == 401
    assert f'resource_metadata="https://memory.example{METADATA}"' in refused.headers["www-authenticate"]
    assert metadata["resource"] == AUDIENCE
    assert metadata["authorization_servers"] == [ISSUER]
    assert named.status_code == 200


async def test_without_an_issuer_no_jwt_is_anybody_and_no_issuer_is_advertised(
    idp: Issuer, settings: ServerSettings, clock: Clock
) -> None:
    async with running(settings, clock) as (base, _):
        refused = await call(base, idp.token("k1"))
        async with httpx2.AsyncClient() as http:
            metadata = await http.get(f"{base}{METADATA}")
    assert refused.status_code == 401
    assert "resource_metadata" not in refused.headers["www-authenticate"]
    assert metadata.status_code == 404
    assert idp.fetched == 0


async def test_keys_rotate_without_a_restart_and_withdrawn_ones_end(idp: Issuer) -> None:
    time_now = [1000.0]
    verifier = JwtVerifier(remote(idp), SigningKeys(idp.url, lambda: time_now[0]))
    old = idp.token("k1")
    assert await verifier.verify_token(old) is not None
    idp.ec_key("k2")
    new = idp.token("k2")
    time_now[0] += REFRESH_SECONDS
    assert await verifier.verify_token(new) is not None
    assert await verifier.verify_token(old) is not None
    del idp.keys["k1"]
    time_now[0] += KEY_LIFE_SECONDS
    assert await verifier.verify_token(new) is not None
    assert await verifier.verify_token(old) is None


async def test_strangers_cannot_make_the_server_ask_the_issuer_again_and_again(idp: Issuer) -> None:
    time_now = [1000.0]
    verifier = JwtVerifier(remote(idp), SigningKeys(idp.url, lambda: time_now[0]))
    stranger = Issuer()
    for n in range(50):
        stranger.ec_key(f"n{n}")
        assert await verifier.verify_token(stranger.token(f"n{n}")) is None
    assert idp.fetched == 1
    time_now[0] += REFRESH_SECONDS
    assert await verifier.verify_token(stranger.token("n1")) is None
    assert idp.fetched == 2


async def test_while_the_issuer_is_unreachable_its_known_keys_still_work(idp: Issuer) -> None:
    time_now = [1000.0]
    verifier = JwtVerifier(remote(idp), SigningKeys(idp.url, lambda: time_now[0]))
    assert await verifier.verify_token(idp.token("k1")) is not None
    idp.down = True
    time_now[0] += KEY_LIFE_SECONDS + 1
    assert await verifier.verify_token(idp.token("k1")) is not None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"jwks_url": ""}, "JWKS_URL must be set"),
        ({"url": ""}, "URL must be set"),
        ({"subjects": ""}, "SUBJECTS must be set"),
        ({"jwks_url": "http://issuer.example/keys"}, "must be https"),
        ({"jwks_url": "http://127.0.0.1.evil.example/keys"}, "must be https"),
        ({"subjects": "ann"}, "subject=user id"),
        ({"subjects": "ann=me"}, "subject=user id"),
    ],
)
def test_half_an_issuer_is_refused_at_the_start(wrong: dict[str, str], said: str) -> None:
    whole = {"url": AUDIENCE, "issuer": ISSUER, "jwks_url": "https://issuer.example/keys", "subjects": "ann=42"}
    Remote.model_validate(whole)
    with pytest.raises(ValidationError, match=said):
        Remote.model_validate({**whole, **wrong})


async def test_our_own_tokens_are_kept_only_as_hashes_and_end_when_revoked(memory: Memory, clock: Clock) -> None:
    token = await new_token(memory, "phone", clock())
    assert len(token) >= 43
    async with memory.tables() as tables:
        rows = str([tuple(row) for row in await tables.fetch("select * from access_tokens")])
        hashed = await tables.fetchval("select token_hash from access_tokens where name = 'phone'")
    assert token not in rows
    assert hashed == digest(token)
    granted = await memory.storage.verifier.verify_token(token)
    assert granted is not None
    assert (granted.subject, granted.scopes) == ("42", ["assistant"])
    assert await memory.storage.verifier.verify_token(token[:-1]) is None
    again = await new_token(memory, "phone", clock())
    assert not await stands(memory, token)
    assert await stands(memory, again)
    async with as_login(memory.storage.opened.login) as login:
        assert await tokens.revoke(login, "phone", clock())
    assert not await stands(memory, again)
    assert await memory.storage.verifier.verify_token(again) is None


async def test_calls_during_a_lookup_share_the_next_lookup_and_all_of_them_get_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, begun, answered = list[list[bytes]](), asyncio.Event(), asyncio.Event()

    async def find(_: object, keys: list[bytes]) -> dict[bytes, Grant]:
        asked.append(keys)
        begun.set()
        await answered.wait()
        raise ConnectionError

    monkeypatch.setattr(tokens, "find", find)
    verifier = TokenVerifier(cast("Database", None))
    calls = [asyncio.create_task(verifier.verify_token("one"))]
    await begun.wait()
    calls += [asyncio.create_task(verifier.verify_token(token)) for token in ("two", "three")]
    await asyncio.sleep(0)
    answered.set()
    failures = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(failure) for failure in failures] == [ConnectionError] * 3
    assert asked == [[digest("one")], [digest("two"), digest("three")]]


async def test_a_lookup_that_fails_after_its_call_has_ended_is_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    logged, begun, failing = list[Any](), asyncio.Event(), asyncio.Event()

    async def find(*_: object) -> dict[bytes, Grant]:
        begun.set()
        await failing.wait()
        raise ConnectionError

    monkeypatch.setattr(tokens, "find", find)
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: logged.append(context))
    verifier = TokenVerifier(cast("Database", None))
    call = asyncio.create_task(verifier.verify_token("one"))
    await begun.wait()
    call.cancel()
    await asyncio.wait([call])
    failing.set()
    with pytest.raises(ConnectionError):
        await verifier.verify_token("two")
    gc.collect()
    loop.set_exception_handler(before)
    assert logged == []


async def stands(memory: Memory, token: str) -> bool:
    """Whether a call with the token is answered. If the token's grant is cached, the call starts before the token is
    looked up (`credentials`)."""
    found = await memory.storage.verifier.verify_token(token)
    return found is not None and (not isinstance(found, CachedToken) or await found.still_valid)


async def new_token(memory: Memory, name: str, now: datetime) -> str:
    async with as_login(memory.storage.opened.login) as login:
        return await create_token(login, name, 42, ("assistant",), now)


def forged_with_public_key(idp: Issuer) -> str:
    """A token signed by HMAC with the public key as its secret. A verifier that confuses the algorithms would accept
    this token."""
    modulus = idp.keys["k1"].public_key().public_numbers().n.to_bytes(256, "big")
    header = _part({"alg": "HS256", "kid": "k1"})
    payload = idp.token("k1").split(".")[1]
    signature = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
        f"{header}.{payload}".encode(), modulus
    )
    return f"{header}.{payload}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def unsigned(token: str) -> str:
    return f"{_part({'alg': 'none', 'kid': 'k1'})}.{token.split('.')[1]}."


def altered(token: str) -> str:
    head, payload, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return f"{head}.{_part({**claims, 'sub': 'ben'})}.{signature}"


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
