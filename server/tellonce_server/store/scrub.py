"""Rewrites tables, one at a time, to remove erased text from the files. A rewrite stops if other sessions wait for the
table."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import asyncpg

from tellonce.shutdown import ended
from tellonce_server.store import near_indexes
from tellonce_server.store.named_queries import Run, Value
from tellonce_sql import query

LOCK: Final = 0x63_68_61_74_73_63_72_75
"""The key of the lock for scrubbing. Without this lock, a second process would lock the same tables again."""

LONGEST_WAIT: Final = 0.5
"""Seconds that another session may wait for a table before the rewrite is cancelled."""
LOOK_SECONDS: Final = 0.05


async def rewrites(session: Any, *, is_superuser: bool) -> dict[str, list[str]]:
    """The statements that rewrite each table, in order. Dropping the vector indexes first makes this thirty times as
    fast. They are rebuilt in the background. Only a superuser may rewrite the planner's statistics."""
    found = {row["name"]: row["statements"] for row in await session.fetch(query("scrub.rewrites"))}
    found["messages"] = [*await near_indexes.clearing(session), *found["messages"]]
    return found | ({"pg_statistic": [query("scrub.rewrite_statistics")]} if is_superuser else {})


request = Run[[datetime]]("scrub.request")
is_due = Value[[datetime], bool]("scrub.due")
note_done = Run[[datetime]]("scrub.done")


async def is_alone(session: Any) -> bool:
    """Take the lock until the session ends. False if another process holds it."""
    return bool(await session.fetchval(query("locks.take"), LOCK))


async def rewrite(session: Any, watch: Any, statements: Iterable[str], *, gives_way: bool) -> bool:
    """Rewrite a table. With `gives_way`, stop if another session waits too long. Returns whether it was completed."""
    for statement in statements:
        if not gives_way:
            await session.execute(statement)
        elif not await give_way(session, watch, statement):
            return False
    return True


async def retire_log(session: Any) -> None:
    """Close the current log segment, so that PostgreSQL deletes the write-ahead log with the old text."""
    for name in ("checkpoint", "switch_log", "checkpoint", "switch_log", "checkpoint"):
        await session.execute(query(f"scrub.{name}"))


async def give_way(session: Any, watch: Any, statement: str) -> bool:
    """Run `statement` unless another session waits too long. Returns whether it was completed. `watch` is a second
    session of the same login."""
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
        await ended(work, needed)
    return True


async def _until_needed(watch: Any, pid: int) -> None:
    while await watch.fetchval(query("scrub.longest_wait"), pid) < LONGEST_WAIT:  # noqa: ASYNC110 (other processes wait)
        await asyncio.sleep(LOOK_SECONDS)
