"""Alarms of dated memories."""

from dataclasses import dataclass
from datetime import datetime

from tellonce.reminders import Reminder
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.memories import memory


@dataclass(frozen=True)
class OwnersAlarms:
    """`due_at` is the time of the oldest due alarm; `next_at` is the time of the next alarm that is not due yet."""

    owner_id: int
    due_at: datetime | None
    next_at: datetime | None


async def set_alarm(
    q: Queries,
    owner_id: int,
    memory_id: int,
    *,
    chat_id: int,
    thread_id: int | None,
    due_at: datetime,
    repeats: str | None,
    now: datetime,
    done_at: datetime | None = None,
) -> None:
    await q.run("reminders.set", owner_id, memory_id, chat_id, thread_id, due_at, repeats, now, done_at)


async def by_memory(q: Queries, owner_id: int, memory_id: int) -> Reminder | None:
    row = await q.row("reminders.one", owner_id, memory_id)
    return _reminder(row) if row is not None else None


async def delivered(q: Queries, owner_id: int, chat_id: int, content: str, due_at: datetime) -> Reminder | None:
    row = await q.row("reminders.delivered", owner_id, chat_id, content, due_at)
    return _reminder(row) if row is not None else None


async def pending(q: Queries, owner_id: int, chat_id: int) -> list[Reminder]:
    return [_reminder(row) for row in await q.rows("reminders.pending", owner_id, chat_id)]


async def owners(q: Queries, now: datetime) -> list[OwnersAlarms]:
    return [OwnersAlarms(**row) for row in await q.rows("reminders.owners", now)]


async def claim(
    q: Queries, owner_id: int, now: datetime, worker: str, until: datetime, chat_id: int | None
) -> list[Reminder]:
    """Claim the due alarms of the owner, or of one chat. The claim ends at `until`. Returns the alarms in time
    order."""
    found = [_reminder(row) for row in await q.rows("reminders.claim", owner_id, now, worker, until, chat_id)]
    return sorted(found, key=lambda reminder: (reminder.due_at, reminder.memory.id))


async def finish(
    q: Queries, owner_id: int, memory_id: int, due_at: datetime, next_at: datetime | None, now: datetime
) -> bool:
    return await q.row("reminders.finish", owner_id, memory_id, due_at, next_at, now) is not None


async def move(q: Queries, owner_id: int, memory_id: int, due_at: datetime | None, now: datetime) -> bool:
    return await q.row("reminders.move", owner_id, memory_id, due_at, now) is not None


def _reminder(row: Row) -> Reminder:
    return Reminder(
        memory=memory(row),
        chat_id=row["alarm_chat_id"],
        message_thread_id=row["message_thread_id"],
        due_at=row["due_at"],
        repeats=row["repeats"],
    )
