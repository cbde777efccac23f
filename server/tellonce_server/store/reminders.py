"""Alarms of dated memories."""

from dataclasses import dataclass
from datetime import datetime

from tellonce.contract_types import Bigint, Instant
from tellonce.reminders import Reminder, Repetition
from tellonce_server.core.scope import ChatId, MemoryId, OwnerId
from tellonce_server.store.database import Queries, Row
from tellonce_server.store.memories import memory
from tellonce_server.store.named_queries import Found, MaybeRow, Rows, named


@dataclass(frozen=True)
class Alarm:
    """The alarm of a memory in the database or in an import. `done_at` is None until it is delivered."""

    due_at: Instant
    repeats: Repetition | None = None
    chat_id: Bigint | None = None
    message_thread_id: Bigint | None = None
    done_at: Instant | None = None


@dataclass(frozen=True)
class OwnersAlarms:
    """`due_at` is the time of the oldest due alarm. `next_at` is the time of the first alarm that is not due yet."""

    owner_id: int
    due_at: datetime | None
    next_at: datetime | None


def _reminder(row: Row) -> Reminder:
    return Reminder(
        memory=memory(row),
        chat_id=row["alarm_chat_id"],
        message_thread_id=row["message_thread_id"],
        due_at=row["due_at"],
        repeats=row["repeats"],
    )


async def set_alarm(q: Queries, owner_id: int, memory_id: int, alarm: Alarm, now: datetime) -> None:
    place = (alarm.chat_id, alarm.message_thread_id)
    await q.run("reminders.set", owner_id, memory_id, *place, alarm.due_at, alarm.repeats, now, alarm.done_at)


by_memory = MaybeRow[[OwnerId, MemoryId], Reminder]("reminders.one", _reminder)
delivered = MaybeRow[[OwnerId, ChatId, str, datetime], Reminder]("reminders.delivered", _reminder)
pending = Rows[[OwnerId, ChatId], Reminder]("reminders.pending", _reminder)
owners = Rows[[datetime], OwnersAlarms]("reminders.owners", named(OwnersAlarms))


async def claim(
    q: Queries, owner_id: int, now: datetime, worker: str, until: datetime, chat_id: int | None
) -> list[Reminder]:
    """Claim the due alarms of the owner, or of one chat, until `until`. Returns them in order of time."""
    found = [_reminder(row) for row in await q.rows("reminders.claim", owner_id, now, worker, until, chat_id)]
    return sorted(found, key=lambda reminder: (reminder.due_at, reminder.memory.id))


finish = Found[[OwnerId, MemoryId, datetime, datetime | None, datetime]]("reminders.finish")
move = Found[[OwnerId, MemoryId, datetime | None, datetime]]("reminders.move")
