"""The access tokens, stored only as hashes, and the server's secret keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tellonce_server.store.database import Queries


@dataclass(frozen=True)
class Grant:
    """The scopes that a token grants. `user_id` is None if the token does not belong to one user."""

    name: str
    user_id: int | None
    scopes: list[str]


@dataclass(frozen=True)
class StoredToken(Grant):
    created_at: datetime
    revoked_at: datetime | None


async def add(
    q: Queries, token_hash: bytes, name: str, user_id: int | None, scopes: Sequence[str], now: datetime
) -> None:
    await q.run("tokens.add", token_hash, name, user_id, list(scopes), now)


async def find(q: Queries, token_hashes: Sequence[bytes]) -> dict[bytes, Grant]:
    """The grants of the given tokens, by token hash. Unknown and revoked tokens are left out."""
    rows = await q.rows("tokens.find", list(token_hashes))
    return {row["token_hash"]: Grant(*row[1:]) for row in rows}


async def everyone(q: Queries) -> list[StoredToken]:
    return [StoredToken(**row) for row in await q.rows("tokens.all")]


async def revoke(q: Queries, name: str, now: datetime) -> bool:
    return await q.row("tokens.revoke", name, now) is not None


async def obtain_key(q: Queries, name: str, fresh: bytes, now: datetime) -> bytes:
    """The stored key of that name. If there is none yet, `fresh` is stored."""
    key: bytes = await q.value("keys.obtain", name, fresh, now)
    return key
