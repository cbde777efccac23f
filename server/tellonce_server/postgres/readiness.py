"""The requirements on an external PostgreSQL: its version, pgvector in the database, and two roles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg

from tellonce_server.core.errors import StorageRefused

OLDEST_POSTGRES: Final = 150000
OLDEST_VECTOR: Final = (0, 8, 4)

_LOOK: Final = """
select quote_ident(current_user) as login, quote_ident(current_database()) as database,
  current_setting('server_version_num')::int as version,
  (select extversion from pg_extension where extname = 'vector') as installed,
  (select default_version from pg_available_extensions where name = 'vector') as available,
  array(select n from unnest(array['chatmem_server', 'chatmem_worker']) n where to_regrole(n) is null) as missing,
  array(select n from unnest(array['chatmem_server', 'chatmem_worker']) n
        where to_regrole(n) is null or not pg_has_role(current_user, to_regrole(n)::oid, 'member')) as untaken,
  coalesce(has_schema_privilege('public', 'create'), false) as may_create
"""


@dataclass(frozen=True)
class Readiness:
    """The state of a server and its database. `missing` are the required roles that do not exist. The login cannot
    switch to `untaken` roles."""

    login: str
    database: str
    version: int
    installed: str | None
    available: str | None
    missing: Sequence[str]
    untaken: Sequence[str]
    may_create: bool

    @property
    def name(self) -> str:
        """The product and version, as in "PostgreSQL 16.14"."""
        return f"PostgreSQL {self.version // 10000}.{self.version % 10000}"


class DatabaseNotReady(StorageRefused):
    """Only an administrator can add what the database lacks. The text gives the statements."""


async def look(connection: Any) -> Readiness:
    return Readiness(**await connection.fetchrow(_LOOK))


def hindrance(found: Readiness) -> str | None:
    """A problem that no SQL statement can fix, or None."""
    if found.version < OLDEST_POSTGRES:
        return f"{found.name} is too old; the memory needs PostgreSQL 15 or newer."
    if not (_fits(found.installed) or _fits(found.available)):
        have = found.available or found.installed
        return (
            f"pgvector {have} of {found.name} is too old" if have else f"{found.name} has no pgvector"
        ) + "; install pgvector 0.8.4 or newer on the server's machine."
    return None


def setup_statements(found: Readiness) -> list[str]:
    """The statements that an administrator must run in the database to prepare it."""
    vector = "create extension vector" if found.installed is None else "alter extension vector update"
    return [
        *([vector] if not _fits(found.installed) else []),
        *(f"create role {role} nologin" for role in found.missing),
        *(f"grant {role} to {found.login}" for role in found.untaken),
        *([] if found.may_create else [f"grant usage, create on schema public to {found.login}"]),
    ]


def for_administrator(found: Readiness) -> str:
    """The text that asks an administrator to run the missing statements, or an empty text."""
    needed = setup_statements(found)
    if not needed:
        return ""
    lines = "\n".join(f"  {statement};" for statement in needed)
    return f"An administrator of {found.name} must run this in the database {found.database}:\n{lines}"


async def prepare(connection: Any) -> list[str]:
    """Run the missing statements that this login may run, and return them. Raises DatabaseNotReady if something is
    still missing."""
    found = await look(connection)
    if said := hindrance(found):
        raise DatabaseNotReady(said)
    done = [statement for statement in setup_statements(found) if await _run(connection, statement)]
    if said := for_administrator(await look(connection)):
        raise DatabaseNotReady(said)
    return done


async def _run(connection: Any, statement: str) -> bool:
    try:
        await connection.execute(statement)
    except (asyncpg.InsufficientPrivilegeError, asyncpg.UndefinedObjectError, asyncpg.FeatureNotSupportedError):
        return False
    except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
        pass  # another process created the role at the same time
    return True


def _fits(version: str | None) -> bool:
    return version is not None and tuple(int(part) for part in version.split(".") if part.isdigit()) >= OLDEST_VECTOR
