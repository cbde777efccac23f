"""Which tiers have read the exchanges, what a better tier must read again, and what that will cost."""

from datetime import datetime

from tellonce import work as w
from tellonce_server.store import ledger, queue
from tellonce_server.store.database import Database
from tellonce_server.store.ledger import PerExchange
from tellonce_server.store.queue import Reading


async def read_status(database: Database, now: datetime, month: datetime) -> w.ReadingStatus:
    found = await queue.reading(database)
    cost = await _cost(database, month)
    return status(found, cost, await queue.dropped(database, now))


def status(found: list[Reading], cost: PerExchange, dropped: dict[str, int]) -> w.ReadingStatus:
    """Compute the status from the counts. Pure."""
    by_tier = {x.tier: x.exchanges for x in found if x.tier is not None}
    waiting = sum(x.exchanges for x in found if x.tier is None and not x.again)
    again = sum(x.provisional or 0 for x in found) + sum(x.exchanges for x in found if x.again)
    left = waiting + again
    return w.ReadingStatus(
        read_by=tuple(w.ReadBy(tier=tier, exchanges=by_tier[tier]) for tier in w.TIERS if tier in by_tier),
        waiting=waiting,
        to_read_again=again,
        estimate_usd=round(cost.price_usd * left, 4) if cost.price_usd is not None else None,
        estimate_seconds=round(cost.seconds * left, 1) if cost.seconds is not None else None,
        dropped=dropped,
    )


async def _cost(database: Database, month: datetime) -> PerExchange:
    """This month's cost per exchange, in US dollars, of the best tier that has read one."""
    for tier in w.TIERS:
        cost = await ledger.per_exchange(database, month, tier)
        if cost.seconds is not None:
            return cost
    return PerExchange(None, None)
