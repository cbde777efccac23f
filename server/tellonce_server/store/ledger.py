"""The cost of language model calls."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tellonce.contract_types import Contract
from tellonce.work import ModelCall, ProviderDown, Tier
from tellonce_server.store.database import Queries
from tellonce_server.store.named_queries import OneRow, Rows, Value, named
from tellonce_server.store.queue import Job


class MonthCost(Contract):
    month: str
    calls: int
    price_usd: float


@dataclass(frozen=True)
class Spent:
    calls: int
    input_tokens: int
    output_tokens: int
    price_usd: float
    past_usd: float


async def add(q: Queries, job: Job, call: ModelCall, now: datetime) -> None:
    await q.run(
        "ledger.add",
        *(job.key.owner_id, job.key.chat_id, job.key.id, job.kind, call.model, call.tier, call.input_tokens),
        *(call.output_tokens, call.seconds, Decimal(str(call.price_usd)), call.ok, call.note, now, call.down, job.past),
    )


since = OneRow[[datetime], Spent]("ledger.since", named(Spent))
down = Rows[[datetime], ProviderDown]("ledger.down", named(ProviderDown))
months = Rows[[], MonthCost]("ledger.months", named(MonthCost))


@dataclass(frozen=True)
class PerExchange:
    """The mean cost of reading one exchange, in dollars and seconds; None if no exchange has been read."""

    price_usd: float | None
    seconds: float | None


per_exchange = OneRow[[datetime, Tier], PerExchange]("ledger.per_exchange", named(PerExchange))
fold_months = Value[[datetime, int], int]("retention.model_calls")
