"""The user's calendar: the time zone in which the stored whole days begin. If the zone changes, every whole day stays the
same day, and a repeated reminder keeps its time of day."""

from tellonce_server.store.database import Transaction
from tellonce_server.store.named_queries import Value

zone = Value[[], str | None]("calendar.present")


async def follow(q: Transaction, zone: str) -> None:
    """Change the stored whole days and reminders to `zone`, unless they are in this zone already. `q` must be a connection of the login
    that owns the tables."""
    async with q.savepoint():
        former = await q.value("calendar.zone")
        if former == zone:
            return
        await q.run("calendar.set_zone", zone)
        if former is None:
            await q.run("calendar.mark_days", zone)
            return
        for change in ("move_days", "move_repeated", "restamp"):
            await q.run(f"calendar.{change}", former, zone)
