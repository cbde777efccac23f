"""A table rewritten in a session of its own, which gives way as soon as anybody waits for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final

import asyncpg

from tellonce_server.store import near_indexes
from tellonce_server.store.database import Database
from tellonce_sql import queries, query

LOCK: Final = 0x63_68_61_74_73_63_72_75
"""Held by whoever scrubs: a second one beside it would only lock the same tables again."""

LONGEST_WAIT: Final = 0.8
"""Seconds anybody waits for a rewrite before it gives way. A rewrite that takes less finishes beside any traffic."""
LOOK_SECONDS: Final = 0.1

OF_THE_ADMINISTRATOR: Final = "scrub.rewrite_statistics"
"""The rewrite that only a superuser may run."""


def rewrites() -> list[str]:
    """The names of what has to be rewritten, in their order."""
    return sorted(name for name in queries() if name.startswith("scrub.rewrite_"))


async def is_due(database: Database, latest: datetime) -> bool:
    """Whether something was erased and the last scrub was before `latest`."""
    return bool(await database.value("scrub.due", latest))


async def note_done(database: Database, began: datetime) -> None:
    await database.run("scrub.done", began)


@asynccontextmanager
async def session(dsn: str) -> AsyncGenerator[Any]:
    connection: Any = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


async def is_alone(session: Any) -> bool:
    """Take the lock, which ends with the session; False while another process holds it."""
    return bool(await session.fetchval(query("locks.take"), LOCK))


async def rewrite(session: Any, watch: Any, name: str, *, gives_way: bool) -> bool:
    """Whether it was run to its end. `watch` is a second session of the same login."""
    for statement in await _statements(session, name):
        if not gives_way:
            await session.execute(statement)
        elif not await give_way(session, watch, statement):
            return False
    return True


async def retire_log(session: Any) -> None:
    """Two rounds: the first closes the segment that holds the old text, the second lets it go."""
    for name in ("checkpoint", "switch_log", "checkpoint", "switch_log", "checkpoint"):
        await session.execute(query(f"scrub.{name}"))


async def _statements(session: Any, name: str) -> list[str]:
    """What rewrites a table. Large owners' vector indexes go before, and are built again in the background without a lock:
    beside them the rest of `messages` takes a thirtieth of the time.
    """
    if name != "scrub.rewrite_messages":
        return [query(name)]
    return [*await near_indexes.clearing(session), query(name)]


async def give_way(session: Any, watch: Any, statement: str) -> bool:
    """Run `statement` on `session` unless somebody waits for it too long; whether it was run.

    `watch` is a second session of the same login.
    """
    await session.execute(query("scrub.wait_shortly"))
    work = asyncio.create_task(session.execute(statement))
    needed = asyncio.create_task(_until_needed(watch, session.get_server_pid()))
    try:
        await asyncio.wait({work, needed}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            await watch.fetchval(query("scrub.cancel"), session.get_server_pid())
        await work
    except (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError):
        return False
    finally:
        work.cancel()
        needed.cancel()
        await asyncio.gather(work, needed, return_exceptions=True)
    return True


async def _until_needed(watch: Any, pid: int) -> None:
    """Returns once somebody has waited for the process too long."""
    while await watch.fetchval(query("scrub.longest_wait"), pid) < LONGEST_WAIT:  # noqa: ASYNC110 (other processes wait)
        await asyncio.sleep(LOOK_SECONDS)
