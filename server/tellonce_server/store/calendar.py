"""The user's calendar: the time zone in which the stored whole days begin. If the zone changes, every whole day stays the
same day, and a repeated reminder keeps its time of day."""

from datetime import datetime

from tellonce_server.store.database import Transaction
from tellonce_server.store.named_queries import Value

zone = Value[[], str | None]("calendar.present")


async def alone(q: Transaction) -> bool:
    """Whether no other tellonce process uses the database."""
    return not await q.value("backup.sessions")


async def fresh(q: Transaction) -> bool:
    """Whether the database has neither a time zone nor a memory."""
    return bool(await q.value("calendar.fresh"))


async def follow(q: Transaction, zone: str, now: datetime) -> list[int]:
    """Move the stored whole days and reminders to `zone`. A reminder that is being delivered keeps its moment. Returns
    the owners whose profile texts can contain times of the former zone. `q` must be a connection of the login that owns
    the tables."""
    async with q.savepoint():
        former = await q.value("calendar.zone")
        if former == zone:
            return []
        await q.run("calendar.set_zone", zone)
        if former is None:
            await q.run("calendar.mark_days", zone)
            return []
        await q.run("calendar.move_days", former, zone)
        await q.run("calendar.move_repeated", former, zone, now)
        await q.run("calendar.restamp", former, zone)
        return [row["owner_id"] for row in await q.rows("calendar.narrated")]
