"""The access tokens, stored only as hashes, and the server's secret keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tellonce_server.store.database import Queries
from tellonce_server.store.named_queries import Found, Rows, Run, Value, named


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


add = Run[[bytes, str, int | None, Sequence[str], datetime]]("tokens.add")


async def find(q: Queries, token_hashes: Sequence[bytes]) -> dict[bytes, Grant]:
    """The grants of the given tokens, by token hash. Unknown and revoked tokens are left out."""
    rows = await q.rows("tokens.find", list(token_hashes))
    return {row["token_hash"]: Grant(*row[1:]) for row in rows}


everyone = Rows[[], StoredToken]("tokens.all", named(StoredToken))
revoke = Found[[str, datetime]]("tokens.revoke")
obtain_key = Value[[str, bytes, datetime], bytes]("keys.obtain")
