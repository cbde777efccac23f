"""Ends memories that are past their time: dates, and goals with a deadline."""

from datetime import datetime

from tellonce_server.store.database import Queries


async def owners_with_endings(q: Queries, now: datetime) -> list[int]:
    """The owners with current dates or goals that are past their time."""
    return [row["owner_id"] for row in await q.rows("memories.owners_with_endings", now)]


async def end_passed_dates(q: Queries, owner_id: int, now: datetime) -> int:
    return await q.run("memories.passed_dates", owner_id, now)


async def ask_about_overdue_goals(q: Queries, owner_id: int, now: datetime, since: datetime) -> int:
    """Mark goals with a deadline before `since` as uncertain, so that the user is asked about them. Each goal is marked
    only once."""
    return await q.run("memories.overdue_goals", owner_id, now, since)


async def close_overdue_goals(q: Queries, owner_id: int, now: datetime, asked: datetime) -> int:
    """Close the overdue goals that the user was asked about before `asked` and has not confirmed."""
    return await q.run("memories.closed_goals", owner_id, now, asked)
