"""Creates a database with the last release's schema and data, and upgrades it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import asyncpg

from tellonce_server.postgres.embedded_server import SUPERUSER, EmbeddedPostgres
from tellonce_server.postgres.migrations import migrate
from tellonce_sql import migrations
from tests.memory_fixtures import session

LAST_RELEASE = 18
"""The schema version of the last release."""


@asynccontextmanager
async def last_release(
    postgres: EmbeddedPostgres, data: str, version: int = LAST_RELEASE
) -> AsyncGenerator[asyncpg.Connection]:
    """A connection to a database with `data` and the schema of this version. The connection's role is the owner of the
    tables."""
    admin = await asyncpg.connect(postgres.dsn(SUPERUSER, "postgres"))
    await admin.execute("create database upgrading owner chatmem_app")
    async with session(postgres.dsn(SUPERUSER, "upgrading")) as extended:
        await extended.execute("create extension vector")
    db = await asyncpg.connect(postgres.dsn(database="upgrading"))
    await migrate(db, [step for step in migrations() if step.version <= version])
    await db.execute(data)
    try:
        yield db
    finally:
        await db.close()
        await admin.execute("drop database upgrading with (force)")
        await admin.close()


@asynccontextmanager
async def upgraded(postgres: EmbeddedPostgres, data: str) -> AsyncGenerator[str]:
    """The DSN of a database of the last release, after all migrations."""
    async with last_release(postgres, data) as db:
        await migrate(db, migrations())
        yield postgres.dsn(database="upgrading")
