"""Bearer tokens, each stored as a hash with its scopes and its user. A call acts for the user of its token; no argument
can name another user."""

import hashlib
import os
import secrets
from datetime import datetime
from pathlib import Path
from typing import Final, get_args

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from tellonce.contract_types import TokenScope
from tellonce.settings import ServerSettings
from tellonce_server.core.scope import OPERATOR, Caller
from tellonce_server.store import tokens
from tellonce_server.store.database import Queries
from tellonce_server.store.database import as_login as as_login
from tellonce_server.store.tokens import Grant
from tellonce_server.store.tokens import everyone as everyone
from tellonce_server.store.tokens import revoke as revoke

SCOPES: Final[tuple[TokenScope, ...]] = get_args(TokenScope)
LOCAL_SCOPES: Final[tuple[TokenScope, ...]] = ("assistant", "relay", "agent")
"""The scopes of our own processes on this machine. The server keeps one token for each scope in a file."""
LOCAL = "local-"
"""Beginning of the names of tokens that the server creates for our other processes on this machine."""


def granted(token: str, grant: Grant) -> AccessToken:
    """Convert a stored grant to the SDK's type."""
    subject = str(grant.user_id) if grant.user_id is not None else None
    return AccessToken(token=token, client_id=grant.name, scopes=grant.scopes, subject=subject)


def session_access(access: AccessToken | None, operator: int) -> AccessToken | None:
    """The access of a page session, or None if the token does not allow one. Only the operator's token gets the scope
    `operator`."""
    if access is None or access.subject is None or "assistant" not in access.scopes:
        return None
    scopes = ["assistant", OPERATOR] if access.subject == str(operator) else ["assistant"]
    return access.model_copy(update={"scopes": scopes})


def digest(token: str) -> bytes:
    """The hash of a token. Tokens are 256 random bits, so a plain hash cannot be reversed by guessing."""
    return hashlib.sha256(token.encode()).digest()


def http_caller() -> Caller:
    """The caller of an HTTP request, from its verified token."""
    token = get_access_token()
    if token is None:
        return Caller(None, frozenset())
    return Caller(int(token.subject) if token.subject else None, frozenset(token.scopes))


async def create_token(
    login: Queries, name: str, user_id: int | None, scopes: tuple[TokenScope, ...], now: datetime
) -> str:
    """Create a token and return its text. An older token of the same name is revoked. `login` must own the tables."""
    token = secrets.token_urlsafe(32)
    await tokens.add(login, digest(token), name, user_id, scopes, now)
    return token


async def ensure_local_tokens(login: Queries, settings: ServerSettings, now: datetime) -> None:
    """Create the tokens for our processes on this machine, in files that only the current system user can read."""
    folder = settings.data_dir / "tokens"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for scope in LOCAL_SCOPES:
        user = settings.default_user if scope == "assistant" else None
        await _ensure_local(login, folder / scope, scope, user, now)


async def _ensure_local(login: Queries, file: Path, scope: TokenScope, user_id: int | None, now: datetime) -> None:
    if file.exists():
        token = file.read_text().strip()
        grant = (await tokens.find(login, [digest(token)])).get(digest(token))
        if grant is not None and grant.user_id == user_id and grant.scopes == [scope]:
            return
    # The data folder is part of the name, so that two machines on one database have separate tokens.
    name = f"{LOCAL}{scope}-{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]}"
    token = await create_token(login, name, user_id, (scope,), now)
    _write_private(file, token)


async def local_names(login: Queries, settings: ServerSettings) -> set[str]:
    """The names of the valid tokens in the files of this machine. A file may have been moved with its folder."""
    files = [settings.data_dir / "tokens" / scope for scope in LOCAL_SCOPES]
    known = await tokens.find(login, [digest(file.read_text().strip()) for file in files if file.exists()])
    return {grant.name for grant in known.values()}


def _write_private(file: Path, text: str) -> None:
    """Write the file atomically, so that no process reads half of it. Only the file's owner may read it."""
    fresh = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text + "\n")
    fresh.replace(file)
